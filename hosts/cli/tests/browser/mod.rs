//! A browser for tests: headless Chromium, spoken to in the DevTools protocol over a pipe.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// How long one answer may take; machines that run tests are slow and busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page.
pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// Everything that the browser told without being asked.
    pub events: Vec<Value>,
    _profile: tempfile::TempDir,
}

/// The program of a browser, if one is installed.
pub fn installed() -> Option<String> {
    let named = std::env::var("CHROMIUM").ok();
    let names = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    named.into_iter().chain(names).find(|name| {
        let asked = Command::new(name)
            .arg("--version")
            .stdin(Stdio::null())
            .output();
        asked.is_ok_and(|out| out.status.success())
    })
}

impl Browser {
    /// Starts a browser with a window of 1200 x 800 pixels.
    pub fn start(program: &str) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        // The protocol uses descriptors 3 and 4, which only a shell can set up without unsafe code.
        let script = format!(
            "exec {program} --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
             --disable-background-networking --disable-component-update --disable-sync \
             --hide-scrollbars --force-color-profile=srgb --force-device-scale-factor=1 \
             --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader \
             --window-size=1200,800 --user-data-dir=\"$0\" --remote-debugging-pipe about:blank \
             3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"
        );
        let mut process = Command::new("sh")
            .args(["-c", &script])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, from) = channel();
        let mut reader = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while reader.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    return;
                };
                if send.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Browser {
            to: process.stdin.take().unwrap(),
            process,
            from,
            session: None,
            number: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let pages = targets["targetInfos"].as_array().unwrap();
        let page = pages.iter().find(|t| t["type"] == "page").unwrap();
        let wish = json!({ "targetId": page["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", wish);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime.enable", "Page.enable", "Network.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    /// Calls a method of the protocol and gives its result.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        loop {
            let answer = self
                .from
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|e| panic!("{method}: {e}"));
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let wish = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
        });
        let answer = self.call("Runtime.evaluate", wish);
        let problem = &answer["exceptionDetails"];
        assert!(problem.is_null(), "{expression}: {problem}");
        answer["result"]["value"].clone()
    }

    /// A number in the page.
    pub fn number(&mut self, expression: &str) -> f64 {
        let value = self.value(expression);
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Waits until an expression holds.
    pub fn wait(&mut self, expression: &str) {
        let began = Instant::now();
        while self.value(expression) != json!(true) {
            assert!(began.elapsed() < PATIENCE, "{expression} does not hold");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Opens a page from disk, with what follows `#` in its address, and waits until it shows.
    pub fn open(&mut self, page: &Path, address: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        let url = format!("file://{}#{address}", page.display());
        self.call("Page.navigate", json!({ "url": url }));
        self.wait(
            "Boolean(window.throngReplay && (throngReplay.ready || throngReplay.errors.length))",
        );
        assert_eq!(self.value("throngReplay.errors"), json!([]));
        self.wait("throngReplay.replay.drawn > 0 && !throngReplay.replay.stale");
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            let wish = json!({ "type": kind, "key": key, "text": if key.len() == 1 && kind == "keyDown" { key } else { "" } });
            self.call("Input.dispatchKeyEvent", wish);
        }
    }

    /// Clicks at a pixel of the window.
    pub fn click(&mut self, x: f64, y: f64) {
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let wish = json!({
                "type": kind, "x": x, "y": y, "button": if kind == "mouseMoved" { "none" } else { "left" },
                "buttons": buttons, "clickCount": u8::from(kind != "mouseMoved"),
            });
            self.call("Input.dispatchMouseEvent", wish);
        }
    }

    /// A picture of the window.
    pub fn screenshot(&mut self) -> tiny_skia::Pixmap {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = from_base64(answer["data"].as_str().unwrap());
        tiny_skia::Pixmap::decode_png(&bytes).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let word = four.iter().fold(0u32, |w, c| w << 6 | u32::from(digit(*c)));
        let padding = four.iter().filter(|c| **c == b'=').count();
        bytes.extend_from_slice(&word.to_be_bytes()[1..4 - padding]);
    }
    bytes
}
