//! The files that an ISPC file of a host includes, as the disk has them now.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::sync::Arc;
use std::time::SystemTime;

use queries::host::Host;
use queries::ispc::{depends_on, unread};

/// The largest file that is read because another one includes it.
const LARGEST: u64 = 64 << 20;

/// Modification time and size; none where there is no file.
type HeaderStamp = Option<(Option<SystemTime>, u64)>;

/// The files that were read for a host, each with its state then. A file is read again when that has changed.
#[derive(Debug, Default)]
pub struct HeaderDisk {
    read: HashMap<String, HeaderStamp>,
}

impl HeaderDisk {
    /// Sets the text of an ISPC file of a host, and reads what that includes, round by round, since headers include others.
    pub fn read(&mut self, host: &mut Host, path: &str, text: &Arc<str>) {
        host.share_ispc_text(path, Some(text.clone()));
        let mut looked_at = HashSet::from([path.to_owned()]);
        loop {
            let snapshot = host.snapshot();
            let Some(file) = snapshot.ispc_file(path) else { return };
            let wanted = snapshot.catch(|db| {
                let known = depends_on(db, file).into_iter().map(|path| path.to_string());
                known.chain(unread(db, file)).collect::<Vec<_>>()
            });
            drop(snapshot);
            let wanted = wanted.unwrap_or_default().into_iter();
            let wanted: Vec<String> = wanted.filter(|path| looked_at.insert(path.clone())).collect();
            if wanted.is_empty() {
                return;
            }
            wanted.iter().for_each(|path| self.look_at(host, path));
        }
    }

    fn look_at(&mut self, host: &mut Host, path: &str) {
        let data = fs::metadata(path).ok().filter(|data| data.is_file() && data.len() <= LARGEST);
        let stamp = data.map(|data| (data.modified().ok(), data.len()));
        if self.read.get(path) == Some(&stamp) && host.knows_ispc(path) {
            return;
        }
        let bytes = stamp.and_then(|_| fs::read(path).ok());
        host.share_ispc_text(path, bytes.map(|bytes| Arc::from(String::from_utf8_lossy(&bytes))));
        self.read.insert(path.to_owned(), stamp);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queries::ispc::unit;

    #[test]
    fn headers_are_those_of_the_disk_now() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (mut host, mut disk) = (Host::default(), HeaderDisk::default());
        let text: Arc<str> = Arc::from("#include \"a.isph\"\nN f() { return 0; }\n");
        let mut n_problems = || {
            disk.read(&mut host, &path("k.ispc"), &text);
            let snapshot = host.snapshot();
            let file = snapshot.ispc_file(&path("k.ispc")).expect("the file is there");
            unit(snapshot.db(), file).problems.len()
        };
        assert_ne!(n_problems(), 0, "a header is missing, and with it a type");
        fs::write(path("a.isph"), "#include \"b.isph\"\n").expect("written");
        fs::write(path("b.isph"), "typedef int N;\n").expect("written");
        assert_eq!(n_problems(), 0);
        fs::write(path("b.isph"), "typedef int Other;\n").expect("written");
        assert_ne!(n_problems(), 0, "the header has another text now");
    }
}
