//! The nested units of a PNML file.

use rustc_hash::FxHashMap;

use super::error::{ErrorKind, Located};
use crate::petri::net::PlaceId;
use crate::petri::nupn::{Nupn, Unit};
use crate::xml::{Cursor, Element, Step};

/// A NUPN structure as written: units and places by name.
#[derive(Debug)]
pub(super) struct Draft {
    offset: usize,
    root: String,
    safe: bool,
    units: Vec<DraftUnit>,
}

#[derive(Debug)]
struct DraftUnit {
    offset: usize,
    id: String,
    places: Vec<String>,
    subunits: Vec<String>,
}

/// Reads `<toolspecific tool="nupn">`, opened last: `None` if it holds no structure.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Option<Draft>, Located> {
    let mut draft = None;
    let mut inside = false;
    loop {
        match cursor.step()? {
            Step::Open(element) if !inside && element.name == "structure" => {
                let text = |name| Ok::<_, Located>(element.attribute(name)?.unwrap_or_default());
                draft = Some(Draft {
                    offset: element.offset,
                    root: text("root")?.into_owned(),
                    safe: text("safe")?.trim() == "true",
                    units: Vec::new(),
                });
                inside = true;
            }
            Step::Open(element) if inside && element.name == "unit" => {
                let unit = unit(cursor, element)?;
                if let Some(draft) = &mut draft {
                    draft.units.push(unit);
                }
            }
            Step::Open(_) => cursor.skip()?,
            Step::Close if inside => inside = false,
            Step::Close | Step::End => return Ok(draft),
        }
    }
}

fn unit(cursor: &mut Cursor<'_>, element: Element<'_>) -> Result<DraftUnit, Located> {
    let id = element.attribute("id")?.ok_or_else(|| {
        Located::new(
            element.offset,
            ErrorKind::Attribute {
                element: "unit".to_owned(),
                attribute: "id",
            },
        )
    })?;
    let mut unit = DraftUnit {
        offset: element.offset,
        id: id.into_owned(),
        places: Vec::new(),
        subunits: Vec::new(),
    };
    loop {
        match cursor.step()? {
            Step::Open(list) => {
                let names = match list.name {
                    "places" => &mut unit.places,
                    "subunits" => &mut unit.subunits,
                    _ => {
                        cursor.skip()?;
                        continue;
                    }
                };
                names.extend(cursor.text()?.split_whitespace().map(str::to_owned));
            }
            Step::Close | Step::End => return Ok(unit),
        }
    }
}

impl Draft {
    /// The structure, once the places are known.
    pub(super) fn resolve(self, place: impl Fn(&str) -> Option<PlaceId>) -> Result<Nupn, Located> {
        let mut positions: FxHashMap<&str, usize> = FxHashMap::default();
        for (i, unit) in self.units.iter().enumerate() {
            if positions.insert(&unit.id, i).is_some() {
                let kind = ErrorKind::DuplicateId(unit.id.clone());
                return Err(Located::new(unit.offset, kind));
            }
        }
        let missing =
            |offset, name: &str| Located::new(offset, ErrorKind::NupnName(name.to_owned()));
        let mut units = Vec::with_capacity(self.units.len());
        for unit in &self.units {
            let places = unit.places.iter();
            let places = places.map(|p| place(p).ok_or_else(|| missing(unit.offset, p)));
            let subunits = unit.subunits.iter();
            let subunits = subunits.map(|u| {
                let position = positions.get(u.as_str()).copied();
                position.ok_or_else(|| missing(unit.offset, u))
            });
            units.push(Unit {
                id: unit.id.clone(),
                places: places.collect::<Result<_, _>>()?,
                subunits: subunits.collect::<Result<_, _>>()?,
            });
        }
        let root = positions.get(self.root.as_str()).copied();
        let root = root.ok_or_else(|| missing(self.offset, &self.root))?;
        Ok(Nupn {
            units,
            root,
            safe: self.safe,
        })
    }
}
