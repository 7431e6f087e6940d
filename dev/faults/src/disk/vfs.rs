//! The VFS layer through which SQLite reaches its files.
#![allow(
    unsafe_code,
    reason = "SQLite takes this layer as tables of C functions, and there is no other way in between"
)]

use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_int, c_void},
    path::Path,
    slice,
    sync::{Arc, LazyLock, Mutex, Once, OnceLock},
};

use rusqlite::ffi;

use super::record::{Disk, Name, What};
use crate::lock;

/// The system's own VFS, which does the work.
static SYSTEM: OnceLock<Vfs> = OnceLock::new();
/// The system's functions for a database, and for a log, which it does not lock.
static METHODS: [OnceLock<Methods>; 2] = [OnceLock::new(), OnceLock::new()];
/// The watched files, by the address of SQLite's state for each.
static FILES: LazyLock<Mutex<HashMap<usize, WatchedFile>>> = LazyLock::new(Mutex::default);

/// The disk, and which of its files this is.
type WatchedFile = (Arc<Disk>, Name);

#[derive(Clone, Copy)]
struct Vfs(ffi::sqlite3_vfs);

#[derive(Clone, Copy)]
struct Methods {
    system: ffi::sqlite3_io_methods,
    watched: ffi::sqlite3_io_methods,
}

// SAFETY: a table of functions that SQLite itself calls from all threads, with a name that is never freed. It is only
// read once it is set.
unsafe impl Send for Vfs {}
// SAFETY: as above.
unsafe impl Sync for Vfs {}

/// Makes this layer SQLite's default, once for the process.
pub(super) fn stand_between() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // SAFETY: SQLite returns its default VFS, which is never removed. The copy is leaked, because SQLite keeps it.
        // It differs from the original in its name and in two functions with the same types.
        unsafe {
            let system = ffi::sqlite3_vfs_find(std::ptr::null());
            assert!(!system.is_null(), "SQLite has a layer");
            let system = *system;
            SYSTEM.get_or_init(|| Vfs(system));
            let between = ffi::sqlite3_vfs {
                zName: c"care-faults".as_ptr(),
                pNext: std::ptr::null_mut(),
                xOpen: Some(open),
                xDelete: Some(delete),
                ..system
            };
            let code = ffi::sqlite3_vfs_register(Box::leak(Box::new(between)), 1);
            assert_eq!(code, ffi::SQLITE_OK, "SQLite takes the layer");
        }
    });
}

/// Returns what is known about an open file, and the system's function for it.
fn watched<F>(
    file: *mut ffi::sqlite3_file,
    function: impl FnOnce(&ffi::sqlite3_io_methods) -> Option<F>,
) -> Option<(Arc<Disk>, Name, F)> {
    let of = lock(&FILES).get(&file.addr()).cloned();
    let (disk, name) = of?;
    let system = function(&METHODS[name as usize].get()?.system)?;
    Some((disk, name, system))
}

/// Returns the disk that watches a file. SQLite passes full paths.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn disk_of(name: *const c_char) -> Option<WatchedFile> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    Disk::with(Path::new(name.to_str().ok()?))
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let Some(system) = SYSTEM.get().and_then(|system| system.0.xOpen) else {
        return ffi::SQLITE_CANTOPEN;
    };
    // SAFETY: SQLite's arguments are passed on unchanged. If the file is open, its methods are a table that is never
    // freed; they are replaced by a copy with four functions of the same types.
    unsafe {
        let code = system(vfs, name, file, flags, out);
        if code == ffi::SQLITE_OK
            && let Some((disk, name)) = disk_of(name)
        {
            let methods = METHODS[name as usize].get_or_init(|| {
                let system = *(*file).pMethods;
                let watched = ffi::sqlite3_io_methods {
                    xClose: Some(close),
                    xWrite: Some(write),
                    xTruncate: Some(truncate),
                    xSync: Some(sync),
                    ..system
                };
                Methods { system, watched }
            });
            (*file).pMethods = &raw const methods.watched;
            lock(&FILES).insert(file.addr(), (disk, name));
        }
        code
    }
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    let Some(system) = SYSTEM.get().and_then(|system| system.0.xDelete) else {
        return ffi::SQLITE_IOERR_DELETE;
    };
    // SAFETY: SQLite's arguments are passed on unchanged.
    unsafe {
        let done = || system(vfs, name, sync);
        match disk_of(name) {
            Some((disk, name)) => disk.happen((name, What::Delete), done),
            None => done(),
        }
    }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let of = lock(&FILES).remove(&file.addr());
    let Some(system) = of.and_then(|(_, name)| METHODS[name as usize].get()?.system.xClose) else {
        return ffi::SQLITE_IOERR_CLOSE;
    };
    // SAFETY: a file that the system opened is passed on.
    unsafe { system(file) }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    bytes: *const c_void,
    length: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    let Some((disk, name, system)) = watched(file, |system| system.xWrite) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    let (Ok(size), Ok(offset)) = (usize::try_from(length), usize::try_from(at)) else {
        return ffi::SQLITE_IOERR_WRITE;
    };
    // SAFETY: SQLite passes as many bytes as it says; a prefix of them is passed on.
    unsafe {
        let content = slice::from_raw_parts(bytes.cast::<u8>(), size);
        disk.write(name, offset, content, |part| match c_int::try_from(part) {
            Ok(0) | Err(_) => ffi::SQLITE_OK,
            Ok(part) => system(file, bytes, part, at),
        })
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    let (Some((disk, name, system)), Ok(length)) = (watched(file, |system| system.xTruncate), usize::try_from(size))
    else {
        return ffi::SQLITE_IOERR_TRUNCATE;
    };
    // SAFETY: SQLite's arguments are passed on unchanged.
    disk.happen((name, What::Truncate(length)), || unsafe { system(file, size) })
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    let Some((disk, name, system)) = watched(file, |system| system.xSync) else {
        return ffi::SQLITE_IOERR_FSYNC;
    };
    // SAFETY: SQLite's arguments are passed on unchanged.
    disk.sync(name, || unsafe { system(file, flags) })
}
