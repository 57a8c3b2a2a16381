//! The two ways in: a path, or bytes with a name.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use throng_kit::environment::Environment;

use crate::detect::Format;
use crate::error::{Fault, FormatError, Place};
use crate::options::ReadOptions;
use crate::readers;

/// Reads an environment from a file; its format is told by its name and its content.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Environment, FormatError> {
    let name = path.display().to_string();
    let bytes = bytes_of(path, options.largest_file).map_err(|failure| match failure {
        Failure::System(source) => FormatError::Unreadable {
            file: name.clone(),
            source,
        },
        Failure::TooLong(length) => too_long(length, options).in_file(&name),
    })?;
    let folder = path.parent().map(Path::to_path_buf);
    dispatch(&name, &bytes, options, folder)
}

/// Reads an environment from bytes; `name` stands in messages and its ending tells the format.
///
/// A glTF scene that keeps its buffers in other files is refused, because bytes have no folder.
pub fn read_bytes(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<Environment, FormatError> {
    if bytes.len() as u64 > options.largest_file {
        return Err(too_long(bytes.len() as u64, options).in_file(name));
    }
    dispatch(name, bytes, options, None)
}

fn too_long(length: u64, options: &ReadOptions) -> Fault {
    Fault::too_large(
        Place::File,
        format!(
            "it has {length} bytes or more and files above {} are not read",
            options.largest_file
        ),
        "raise `largest_file` or make the file smaller",
    )
}

enum Failure {
    System(std::io::Error),
    TooLong(u64),
}

/// The content of a regular file of no more than so many bytes.
fn bytes_of(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    // Asked before opening, because opening a pipe waits for its other end.
    let about = std::fs::metadata(path).map_err(Failure::System)?;
    if !about.is_file() {
        return Err(Failure::System(std::io::Error::other("not a regular file")));
    }
    if about.len() > most {
        return Err(Failure::TooLong(about.len()));
    }
    let file = File::open(path).map_err(Failure::System)?;
    let mut bytes = Vec::with_capacity(about.len() as usize);
    // The file may grow between the two calls.
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(Failure::System)?;
    if bytes.len() as u64 > most {
        return Err(Failure::TooLong(bytes.len() as u64));
    }
    Ok(bytes)
}

/// A file named by another one: inside its folder, and nowhere else.
fn sibling(folder: Option<&PathBuf>, uri: &str, most: u64) -> Result<Vec<u8>, String> {
    let Some(folder) = folder else {
        return Err(format!(
            "it lies in the file `{uri}` and bytes alone have no folder"
        ));
    };
    let name = percent_decoded(uri).ok_or_else(|| format!("`{uri}` is no file name"))?;
    let relative = Path::new(&name);
    let inside = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside || name.contains("://") {
        return Err(format!("the file `{uri}` is outside the folder"));
    }
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder.as_path()
    };
    let system = |error: std::io::Error| format!("the file `{uri}` cannot be opened: {error}");
    let folder = folder.canonicalize().map_err(system)?;
    let whole = folder.join(relative).canonicalize().map_err(system)?;
    if !whole.starts_with(&folder) {
        return Err(format!("the file `{uri}` leads outside the folder"));
    }
    bytes_of(&whole, most).map_err(|failure| match failure {
        Failure::System(error) => system(error),
        Failure::TooLong(length) => format!("the file `{uri}` has {length} bytes, too many"),
    })
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().filter(|s| !s.contains('\0'))
}

fn dispatch(
    name: &str,
    bytes: &[u8],
    options: &ReadOptions,
    folder: Option<PathBuf>,
) -> Result<Environment, FormatError> {
    if let Some((option, value, allowed)) = options.fault() {
        return Err(FormatError::Option {
            file: name.to_string(),
            option,
            value,
            allowed,
        });
    }
    let format = Format::of(name, bytes)?;
    if bytes.trim_ascii().is_empty() {
        return Err(Fault::malformed(
            Place::File,
            "it is empty",
            format!("put {} into it", format.name()),
        )
        .in_file(name));
    }
    let beside = |uri: &str| sibling(folder.as_ref(), uri, options.largest_file);
    let outcome: Option<Result<Environment, Fault>> = match format {
        #[cfg(feature = "geojson")]
        Format::GeoJson => Some(readers::geojson::read(bytes, options)),
        #[cfg(feature = "wkt")]
        Format::Wkt => Some(readers::wkt::read(bytes, options)),
        #[cfg(feature = "svg")]
        Format::Svg => Some(readers::svg::read(bytes, options)),
        #[cfg(feature = "movingai")]
        Format::MovingAi => Some(readers::movingai::read(bytes, options)),
        #[cfg(feature = "png")]
        Format::Png => Some(readers::png::read(bytes, options)),
        #[cfg(feature = "obj")]
        Format::Obj => Some(readers::obj::read(bytes, options)),
        #[cfg(feature = "ply")]
        Format::Ply => Some(readers::ply::read(bytes, options)),
        #[cfg(feature = "stl")]
        Format::Stl => Some(readers::stl::read(bytes, options)),
        #[cfg(feature = "gltf")]
        Format::Gltf => Some(readers::gltf::read(bytes, options, &beside)),
        #[allow(unreachable_patterns)]
        _ => None,
    };
    match outcome {
        Some(result) => result.map_err(|fault| fault.in_file(name)),
        None => Err(FormatError::NotCompiled {
            file: name.to_string(),
            format: format.name(),
            feature: format.feature(),
        }),
    }
}
