//! Random decisions, compared with a plain model. The same seeds make the same walks on every run.

use crate::store::{subject::Subject, walk::walk};

macro_rules! walks {
    ($($name:ident $seed:literal)*) => {
        $(pub(in crate::store) fn $name(subject: Subject) {
            walk(&subject, $seed);
        })*
    };
}

walks! {
    random_walk_1 1
    random_walk_2 22
    random_walk_3 333
    random_walk_4 4444
    random_walk_5 55555
    random_walk_6 666_666
}
