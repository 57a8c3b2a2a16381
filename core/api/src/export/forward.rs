//! A library's `tracing` events, on their way to the host's.
//!
//! A library has a `tracing` of its own, to which nobody listens; this subscriber gives every
//! event to the host as a line. Spans are not followed: the host times the stages itself.

use core::fmt::{self, Debug, Write};

use tracing_core::{
    Dispatch, Event, Field, Level, LevelFilter, Metadata, Subscriber, dispatcher,
    field::Visit,
    span::{Attributes, Id, Record},
};

use super::host;

struct Forward;

/// Sends the events of this library to the host, if nobody else takes them already.
pub(super) fn install() {
    let _ = dispatcher::set_global_default(Dispatch::new(Forward));
}

fn level(level: &Level) -> host::Level {
    match *level {
        Level::ERROR => host::Level::Error,
        Level::WARN => host::Level::Warn,
        Level::INFO => host::Level::Info,
        Level::DEBUG => host::Level::Debug,
        _ => host::Level::Trace,
    }
}

impl Subscriber for Forward {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && level(metadata.level()) as u32 <= host::log_level()
    }

    // The host's level may change, so callsites ask every time.
    fn register_callsite(
        &self,
        _: &'static Metadata<'static>,
    ) -> tracing_core::subscriber::Interest {
        tracing_core::subscriber::Interest::sometimes()
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        None
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let metadata = event.metadata();
        let text = format!("{}: {}", metadata.target(), line.0);
        host::log(level(metadata.level()), &text);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The message first, other fields behind it as `name=value`.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = if field.name() == "message" {
            let message = format!("{value:?}");
            self.0.insert_str(0, &message);
            fmt::Result::Ok(())
        } else {
            write!(self.0, " {}={value:?}", field.name())
        };
    }
}
