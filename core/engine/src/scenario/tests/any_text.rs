//! No text, however broken, makes loading panic.

use proptest::prelude::*;

use super::*;

/// Loads, and shows what is wrong, which must not panic either.
fn load(text: &str, sets: &[&str]) {
    match parse(text, sets) {
        Ok(scenario) => {
            let registry = registry();
            let resolved = scenario.resolved(&registry);
            let again = parse(&resolved, &[]).unwrap_or_else(|p| panic!("{p}\n{resolved}"));
            assert_eq!(again, scenario);
        }
        Err(problems) => {
            assert!(problems.has_errors());
            assert!(!problems.render(true).is_empty());
            assert!(problems.to_json().is_array());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_texts(text in any::<String>(), set in any::<String>()) {
        load(&text, &[&set]);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        std::fs::write(&path, &bytes).unwrap();
        let registry = registry();
        if let Err(problems) = Scenario::load(&path, &LoadOptions::new(&registry)) {
            prop_assert!(!problems.to_string().is_empty());
        }
    }

    #[test]
    fn mutated_scenarios(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..6, "[-\\[\\]{}=.,\"'\\\\a-z0-9\n é]{0,4}"), 1..5),
    ) {
        let mut text: Vec<char> = EVERYTHING.chars().collect();
        for (at, length, new) in cuts {
            let start = at.index(text.len());
            let end = (start + length).min(text.len());
            text.splice(start..end, new.chars());
        }
        load(&text.into_iter().collect::<String>(), &[]);
    }

    #[test]
    fn swapped_values(
        line in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![
            "inf", "nan", "-inf", "1e400", "99999999999999999999", "-1", "0", "1e300", "''", "[]",
            "{}", "[[]]", "[[1]]", "{kind=1}", "{kind='grid'}", "1979-05-27", "true", "[nan, nan]",
            "{uniform=[2,1]}", "{normal=[0,0,0,0]}", "'random'", "[[0,0],[0,0],[0,0]]", "0x_1",
        ]),
        set in any::<bool>(),
    ) {
        let lines: Vec<&str> = EVERYTHING.lines().collect();
        let at = line.index(lines.len());
        let Some((key, _)) = lines[at].split_once(" = ") else { return Ok(()) };
        let replaced = format!("{key} = {value}");
        let mut changed = lines.clone();
        changed[at] = &replaced;
        load(&changed.join("\n"), &[]);
        if set {
            load(EVERYTHING, &[&format!("{key}={value}"), &format!("source[0].{key}={value}")]);
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("a = {}1{}", "[".repeat(5000), "]".repeat(5000));
    load(&deep, &[]);
    load(SHORT, &[&format!("name={}", "[".repeat(5000))]);
    load(SHORT, &[&format!("{}=1", "a.".repeat(20_000) + "a")]);
    load(SHORT, &[&format!("a{}=1", "[0]".repeat(20_000))]);
}
