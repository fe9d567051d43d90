//! NumPy's `.npy` files: an array with its type and shape in a header.

use queries::run::Elem;

/// The elements of an array in a file, in row-major order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Npy {
    /// Type of the elements.
    pub(crate) elem: Elem,
    /// Bytes of the elements, little-endian.
    pub(crate) bytes: Vec<u8>,
}

/// Parses the content of a file.
pub(crate) fn read(content: &[u8]) -> Result<Npy, String> {
    let rest = content.strip_prefix(b"\x93NUMPY").ok_or("it is no NumPy file")?;
    let (header, data) = match rest {
        [1, _, low, high, rest @ ..] => split(rest, usize::from(u16::from_le_bytes([*low, *high]))),
        [2 | 3, _, a, b, c, d, rest @ ..] => split(rest, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        _ => None,
    }
    .ok_or("its header is cut off, or of an unknown version")?;
    let header = String::from_utf8_lossy(header);
    let field = |name: &str| {
        let (_, rest) = header.split_once(&format!("'{name}'"))?;
        Some(rest.trim_start().strip_prefix(':')?.trim_start())
    };
    let descr = field("descr").and_then(|rest| rest.strip_prefix('\'')).and_then(|rest| rest.split('\'').next());
    let elem = descr.and_then(element).ok_or_else(|| {
        format!("its elements are `{}`, which is no type here (bytes must be lowest first)", descr.unwrap_or("?"))
    })?;
    if field("fortran_order").is_none_or(|rest| !rest.starts_with("False")) {
        return Err("its columns are joined, not its rows; save it with `numpy.ascontiguousarray`".to_owned());
    }
    let shape = field("shape").and_then(|rest| rest.strip_prefix('(')).and_then(|rest| rest.split(')').next());
    let sizes = shape.unwrap_or_default().split(',').map(str::trim).filter(|size| !size.is_empty());
    let count = sizes.map(|size| size.parse::<usize>().ok()).try_fold(1usize, |count, size| count.checked_mul(size?));
    let bytes = count.and_then(|count| count.checked_mul(elem.bits() as usize / 8));
    match bytes {
        Some(bytes) if bytes == data.len() => Ok(Npy { elem, bytes: data.to_vec() }),
        _ => Err(format!("it holds {} bytes of elements, which is not what its shape says", data.len())),
    }
}

fn split(rest: &[u8], len: usize) -> Option<(&[u8], &[u8])> {
    (len <= rest.len()).then(|| rest.split_at(len))
}

fn element(descr: &str) -> Option<Elem> {
    Some(match descr {
        "|b1" => Elem::Bool,
        "|i1" => Elem::I8,
        "<i2" => Elem::I16,
        "<i4" => Elem::I32,
        "<i8" => Elem::I64,
        "|u1" => Elem::U8,
        "<u2" => Elem::U16,
        "<u4" => Elem::U32,
        "<u8" => Elem::U64,
        "<f2" => Elem::F16,
        "<f4" => Elem::F32,
        "<f8" => Elem::F64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut content = b"\x93NUMPY\x01\x00".to_vec();
        content.extend((header.len() as u16).to_le_bytes());
        content.extend(header.as_bytes());
        content.extend(data);
        content
    }

    #[test]
    fn what_numpy_writes_is_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }      \n";
        let data: Vec<u8> = [1.5f32, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(read(&file(header, &data)), Ok(Npy { elem: Elem::F32, bytes: data }));
        let scalar = "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n";
        assert_eq!(read(&file(scalar, &[7])), Ok(Npy { elem: Elem::U8, bytes: vec![7] }));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let with = |header: &str| read(&file(header, &[0; 8])).unwrap_err();
        assert!(read(b"hello").unwrap_err().contains("no NumPy file"));
        assert!(read(b"\x93NUMPY\x01\x00\xff\xff{").unwrap_err().contains("cut off"));
        assert!(with("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }").contains("lowest first"));
        assert!(with("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }").contains("columns"));
        assert!(with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }").contains("8 bytes"));
    }
}
