//! Texts of libraries that live as long as the process, each kept once.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
static LISTS: Mutex<BTreeSet<&'static [&'static str]>> = Mutex::new(BTreeSet::new());

/// The one copy of a text.
pub(super) fn text(text: &str) -> &'static str {
    let mut kept = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(text) {
        return known;
    }
    let new: &'static str = String::from(text).leak();
    kept.insert(new);
    new
}

/// The one copy of a list of texts.
pub(super) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> &'static [&'static str] {
    let list: Vec<&'static str> = texts.into_iter().map(text).collect();
    let mut kept = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(list.as_slice()) {
        return known;
    }
    let new: &'static [&'static str] = list.leak();
    kept.insert(new);
    new
}

#[cfg(test)]
mod tests {
    #[test]
    fn equal_texts_are_one() {
        let (a, b) = (super::list(["x", "y"]), super::list(["x", "y"]));
        assert_eq!(a, ["x", "y"]);
        assert!(core::ptr::eq(a, b));
        assert!(core::ptr::eq(super::text("x"), a[0]));
    }
}
