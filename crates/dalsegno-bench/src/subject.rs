//! The models of an experiment: nets of a family, or files.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dalsegno::kripke::{Budget, quoted_name};
use dalsegno::models::petri::generators::Family;
use dalsegno::models::petri::{pnml, proposition};
use dalsegno::{Problem, Source, models};

use crate::error::Error;

/// The endings of the files that are models.
const ENDINGS: [&str; 3] = ["pnml", "etf", "dve"];

/// A model by its name; loading it is the work of each run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    name: String,
    origin: Origin,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Origin {
    Family(Family, u32),
    File(PathBuf),
    /// Formulas by themselves.
    Nothing,
}

impl Subject {
    /// A family with its parameter, as in `kanban:4`, or a file.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<Subject, Error> {
        if let Some((family, n)) = text.split_once(':')
            && let Ok(n) = n.parse()
            && !Path::new(text).exists()
        {
            let family: Family = family.parse()?;
            // Parameters that the family does not have are refused before anything runs.
            family.generate(n)?;
            let name = format!("{family}-{n}");
            let origin = Origin::Family(family, n);
            return Ok(Subject { name, origin });
        }
        let path = PathBuf::from(text);
        if !path.is_file() {
            return Err(Error::UnknownModel(text.to_owned()));
        }
        Ok(Self::of_file(path))
    }

    fn of_file(path: PathBuf) -> Subject {
        let stem = path.file_stem().unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name);
        // The contest's models are all called so, each in its folder.
        let name = folder.filter(|_| stem == "model").unwrap_or(stem);
        Subject {
            name: name.to_string_lossy().into_owned(),
            origin: Origin::File(path),
        }
    }

    /// What rows call the model of experiments without one.
    pub(crate) const NONE: &str = "none";

    /// The subject of experiments without a model.
    #[must_use]
    pub fn nothing() -> Subject {
        Subject {
            name: Self::NONE.to_owned(),
            origin: Origin::Nothing,
        }
    }

    /// The models of a list such as `kanban:4,fms:3,nets/`: a folder stands for the models in it.
    ///
    /// # Errors
    /// If one of them is no model, a folder has none, or two have the same name.
    pub fn parse_list(text: &str) -> Result<Vec<Subject>, Error> {
        let mut subjects = Vec::new();
        for part in text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            let path = Path::new(part);
            if !path.is_dir() {
                subjects.push(Self::parse(part)?);
                continue;
            }
            let entries = fs::read_dir(path).map_err(Error::file(path))?;
            let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            files.retain(|file| {
                let ending = file.extension().and_then(|e| e.to_str());
                ending.is_some_and(|ending| ENDINGS.contains(&ending))
            });
            files.sort();
            if files.is_empty() {
                return Err(Error::EmptyFolder(path.to_owned()));
            }
            subjects.extend(files.into_iter().map(Self::of_file));
        }
        let mut names = HashSet::new();
        match subjects.iter().find(|subject| !names.insert(&subject.name)) {
            Some(subject) => Err(Error::SameName(subject.name.clone())),
            None => Ok(subjects),
        }
    }

    /// What rows, tables and plots call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names that files which belong to it begin with: its own, with fewer and fewer endings.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = vec![self.name.clone()];
        let mut name = Path::new(&self.name);
        while let (Some(stem), Some(ending)) = (name.file_stem(), name.extension())
            && ENDINGS.iter().any(|known| ending == *known)
        {
            names.push(stem.to_string_lossy().into_owned());
            name = Path::new(stem);
        }
        names
    }

    /// The folder that it lies in, if it is a file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => path.parent(),
            _ => None,
        }
    }

    /// What [`Subject::parse`] reads; empty if there is no model.
    #[must_use]
    pub fn specification(&self) -> String {
        match &self.origin {
            Origin::Family(family, n) => format!("{family}:{n}"),
            Origin::File(path) => path.to_string_lossy().into_owned(),
            Origin::Nothing => String::new(),
        }
    }

    /// The family, if it is of one.
    #[must_use]
    pub fn family(&self) -> Option<Family> {
        match self.origin {
            Origin::Family(family, _) => Some(family),
            _ => None,
        }
    }

    /// Whether there is no model.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.origin == Origin::Nothing
    }

    /// Loads the model.
    ///
    /// # Errors
    /// If it cannot be read, or not within the budget.
    pub fn load(&self, budget: &Budget) -> Result<Arc<Problem>, Error> {
        match &self.origin {
            Origin::Family(family, n) => {
                let problem = Problem::of_net(family.generate(*n)?, budget);
                Ok(Arc::new(problem))
            }
            Origin::File(path) => {
                let bytes = fs::read(path).map_err(Error::file(path))?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let source = Source::from_bytes(&bytes, &name, budget);
                let problem = source.and_then(|source| Ok(source.problem(budget, |_| {})?.clone()));
                problem.map_err(|source| Error::Model {
                    name: self.name.clone(),
                    source: Box::new(source),
                })
            }
            Origin::Nothing => Err(Error::UnknownModel(String::new())),
        }
    }

    /// Writes the model into a folder; the name of the file.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn save(&self, folder: &Path) -> Result<String, Error> {
        let ending = match &self.origin {
            Origin::File(path) => path.extension().unwrap_or_default().to_string_lossy(),
            _ => "pnml".into(),
        };
        let name = format!("model.{ending}");
        let path = folder.join(&name);
        match &self.origin {
            Origin::Family(family, n) => {
                let net: models::petri::PetriNet = family.generate(*n)?;
                let mut file = fs::File::create(&path).map_err(Error::file(&path))?;
                pnml::write(&net, &mut file).map_err(Error::file(&path))?;
            }
            Origin::File(from) => {
                fs::copy(from, &path).map_err(Error::file(from))?;
            }
            Origin::Nothing => {}
        }
        Ok(name)
    }
}

/// Propositions over the variables of a model, as formulas write them: a place is marked, a process is
/// in a state, a number is not 0.
#[must_use]
pub fn propositions(problem: &Problem) -> Vec<String> {
    let model = problem.model();
    let mut texts = Vec::new();
    for v in model.variable_ids() {
        let name = quoted_name(&model.variable(v).name);
        let values = model.values(v).names();
        if values.is_empty() {
            texts.push(format!("{name} >= 1"));
        }
        texts.extend(values.iter().map(|value| format!("{name} = {value}")));
    }
    if let Some(colours) = problem.colours() {
        let places = colours.coloured().places.iter();
        texts.extend(places.map(|place| format!("{} >= 1", quoted_name(&place.id))));
    }
    texts.retain(|text| proposition::parse(text, problem.symbols()).is_ok());
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use dalsegno::pass::unfold::unfold;

    #[test]
    fn families_and_files_are_told_apart() {
        let kanban = Subject::parse("kanban:4").unwrap();
        assert_eq!(
            (kanban.name(), &kanban.specification()[..]),
            ("kanban-4", "kanban:4")
        );
        for (text, part) in [
            ("kanbn:4", "kanban"),
            ("mapk:7", "multiple of 4"),
            ("kanban", "such as kanban:4"),
            ("no/such/file.pnml", "neither a file"),
        ] {
            let message = Subject::parse(text).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn every_place_gives_a_proposition() {
        let subject = Subject::parse("kanban:1").unwrap();
        let problem = subject.load(&Budget::unlimited()).unwrap();
        let found = propositions(&problem);
        assert_eq!(found.len(), 16);
        assert!(found[0].ends_with(" >= 1"));
    }

    #[test]
    fn coloured_places_give_propositions() {
        let net = Family::Philosophers.generate_coloured(3).unwrap();
        let problem = unfold(net, &Budget::unlimited(), |_| {}).unwrap();
        let found = propositions(&problem);
        let unfolded = problem.model().variable_ids().count();
        assert_eq!(
            found.len(),
            unfolded + problem.colours().unwrap().coloured().places.len()
        );
        assert!(found[0].starts_with('\''), "{}", found[0]);
    }

    #[test]
    fn lists_keep_their_order() {
        let list = Subject::parse_list("fms:2, kanban:3").unwrap();
        let names: Vec<&str> = list.iter().map(Subject::name).collect();
        assert_eq!(names, ["fms-2", "kanban-3"]);
        let message = Subject::parse_list("fms:2,kanban:3,fms:2").unwrap_err();
        assert!(message.to_string().contains("called fms-2"), "{message}");
    }

    #[test]
    fn files_are_called_by_their_names() {
        let of_file = |path: &str| Subject::of_file(PathBuf::from(path));
        let at = of_file("beem/at.5.dve.etf");
        assert_eq!(at.name(), "at.5.dve");
        assert_eq!(at.names(), ["at.5.dve", "at.5"]);
        assert_eq!(of_file("nets/FMS-PT-005/model.pnml").name(), "FMS-PT-005");
        assert_eq!(of_file("model.pnml").name(), "model");
    }
}
