//! What an experiment works with: scenarios to run, tables, pictures and remarks to leave.

use serde_json::{Value, json};
use throng::Simulation;

use super::Experiment;
use crate::{
    console::{self, Table, number},
    draw::Drawn,
    failure::Failure,
    output::Folder,
};

/// A column of a table: what it holds and its unit, empty for words and bare numbers.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// What it holds.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
}

impl Column {
    /// A column with a unit.
    pub const fn new(name: &'static str, unit: &'static str) -> Column {
        Column { name, unit }
    }

    fn heading(&self) -> String {
        match self.unit {
            "" => self.name.to_owned(),
            unit => format!("{} [{unit}]", self.name),
        }
    }
}

impl From<&'static str> for Column {
    fn from(name: &'static str) -> Column {
        Column { name, unit: "" }
    }
}

/// A table of an experiment. Its file is named after it.
#[derive(Clone, Debug)]
pub struct Grid {
    name: String,
    title: String,
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
}

impl Grid {
    /// An empty table: the name of its file, what stands above it, its columns.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        columns: impl IntoIterator<Item = impl Into<Column>>,
    ) -> Grid {
        Grid {
            name: name.into(),
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of words and numbers; [`Value::Null`] where there is nothing to say.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Value>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn shown(&self) -> String {
        let headings: Vec<String> = self.columns.iter().map(Column::heading).collect();
        let mut table = Table::new(headings.iter().map(String::as_str));
        for row in &self.rows {
            table.row(row.iter().map(cell));
        }
        format!("{}\n{}", self.title, table.render())
    }

    fn csv(&self) -> String {
        let quoted = |text: String| {
            if text.contains([',', '"', '\n']) {
                format!("\"{}\"", text.replace('"', "\"\""))
            } else {
                text
            }
        };
        let plain = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => quoted(text.clone()),
            other => other.to_string(),
        };
        let mut lines = vec![
            self.columns
                .iter()
                .map(|c| quoted(c.heading()))
                .collect::<Vec<_>>()
                .join(","),
        ];
        lines.extend(
            self.rows
                .iter()
                .map(|row| row.iter().map(plain).collect::<Vec<_>>().join(",")),
        );
        lines.join("\n") + "\n"
    }

    fn document(&self) -> Value {
        let columns: Vec<Value> = self
            .columns
            .iter()
            .map(|c| json!({ "name": c.name, "unit": c.unit }))
            .collect();
        json!({ "name": self.name, "title": self.title, "columns": columns, "rows": self.rows })
    }
}

/// A cell for a person: numbers with as many decimals as tell something.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => number(n.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// An experiment under way.
#[derive(Debug)]
pub struct Study {
    /// Small enough for a look: seconds instead of minutes.
    pub quick: bool,
    /// Threads of every simulation, unless the experiment compares numbers of threads.
    pub threads: usize,
    /// Words that the names of cases are chosen by; none for all cases.
    pub only: Vec<String>,
    experiment: Experiment,
    folder: Folder,
    json: bool,
    tables: Vec<Grid>,
    remarks: Vec<String>,
    files: Vec<String>,
}

impl Study {
    /// Begins one.
    pub fn new(
        experiment: Experiment,
        folder: Folder,
        quick: bool,
        threads: usize,
        json: bool,
    ) -> Study {
        Study {
            quick,
            threads,
            only: Vec::new(),
            experiment,
            folder,
            json,
            tables: Vec::new(),
            remarks: Vec::new(),
            files: Vec::new(),
        }
    }

    /// One of two sizes: in full, or for a quick look.
    pub fn size<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Whether a case was asked for.
    pub fn wants(&self, case: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|word| case.contains(word.as_str()))
    }

    /// Says on stderr what is being done.
    pub fn progress(&self, text: &str) {
        console::err(text);
    }

    /// A simulation of a scenario's text, with the study's threads.
    pub fn simulation(&self, scenario: &str) -> Result<Simulation, Failure> {
        let builder = Simulation::builder().threads(self.threads);
        Ok(builder.text(scenario)?)
    }

    /// Steps a simulation until everybody has gone or a time is reached; `watch` sees each step.
    #[allow(dead_code, reason = "experiments with pictures follow")]
    pub fn walk(
        &self,
        simulation: &mut Simulation,
        seconds: f64,
        mut watch: impl FnMut(&Simulation),
    ) -> Result<(), Failure> {
        while simulation.time() < seconds - 1e-9 && !simulation.is_over() {
            simulation.step()?;
            watch(simulation);
        }
        Ok(())
    }

    /// Takes a table: shows it and writes it as CSV.
    pub fn table(&mut self, table: Grid) -> Result<(), Failure> {
        if !self.json {
            console::out(&table.shown());
            console::out("");
        }
        let file = format!("{}.csv", table.name);
        self.folder.write(&file, table.csv().as_bytes())?;
        self.files.push(file);
        self.tables.push(table);
        Ok(())
    }

    /// Writes the rows of a table so far: they are kept if the rest is cut short.
    pub fn so_far(&self, table: &Grid) -> Result<(), Failure> {
        let file = format!("{}.csv", table.name);
        self.folder.write(&file, table.csv().as_bytes())
    }

    /// Takes a picture: PNG, and SVG where it was drawn.
    #[allow(dead_code, reason = "experiments with pictures follow")]
    pub fn picture(&mut self, name: &str, drawn: &Drawn) -> Result<(), Failure> {
        self.file(&format!("{name}.png"), &drawn.png)?;
        match &drawn.svg {
            Some(svg) => self.file(&format!("{name}.svg"), svg.as_bytes()),
            None => Ok(()),
        }
    }

    /// Takes any other file.
    #[allow(dead_code, reason = "experiments with pictures follow")]
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.folder.write(name, bytes)?;
        self.files.push(name.to_owned());
        Ok(())
    }

    /// Takes a remark: what a figure means, or why it differs from the paper's.
    pub fn remark(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.json {
            console::out(&text);
        }
        self.remarks.push(text);
    }

    /// Ends it: writes `experiment.json` and names the folder.
    pub fn finish(mut self) -> Result<(), Failure> {
        let tables: Vec<Value> = self.tables.iter().map(Grid::document).collect();
        self.files.push("experiment.json".into());
        let document = json!({
            "experiment": self.experiment.name,
            "about": self.experiment.about,
            "source": self.experiment.source,
            "quick": self.quick,
            "threads": self.threads,
            "tables": tables,
            "remarks": self.remarks,
            "files": self.files,
        });
        let text = serde_json::to_string_pretty(&document).map_err(Failure::run)?;
        self.folder.write("experiment.json", text.as_bytes())?;
        if self.json {
            console::out(&text);
        } else {
            let place = self.folder.path().display();
            console::out(&format!("\nbeside: {}", self.experiment.source));
            console::out(&format!("files in {place}: {}", self.files.join(", ")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_shown_and_written() {
        let columns = [Column::new("w", ""), Column::new("speed", "m/s")];
        let mut table = Grid::new("t", "Speeds", columns);
        table.row([json!("w = 0, free"), json!(1.25)]);
        table.row([json!("w = 1"), Value::Null]);
        assert_eq!(table.csv(), "w,speed [m/s]\n\"w = 0, free\",1.25\nw = 1,\n");
        assert_eq!(
            table.shown(),
            "Speeds\nw            speed [m/s]\nw = 0, free         1.25\nw = 1                  -\n"
        );
    }
}
