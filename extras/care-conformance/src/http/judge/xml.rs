//! A reader for the XML of answers, independent of the writer: elements, attributes and text.

/// An element of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Self>,
    pub(crate) text: String,
}

/// Reads a document.
pub(crate) fn read(document: &str) -> Result<Element, String> {
    let declaration = r#"<?xml version="1.0" encoding="UTF-8"?>"#;
    let mut reader = Reader { rest: document.strip_prefix(declaration).unwrap_or(document) };
    let root = reader.element(0)?;
    match reader.rest {
        "" => Ok(root),
        _ => Err("something stands behind the root element".to_owned()),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn element(&mut self, depth: usize) -> Result<Element, String> {
        if depth > 10 {
            return Err("the answer is nested too deeply".to_owned());
        }
        self.expect("<")?;
        let mut element = Element { name: self.name()?, ..Element::default() };
        while let Some(rest) = self.rest.strip_prefix(' ') {
            self.rest = rest;
            let name = self.name()?;
            self.expect("=\"")?;
            let value = self.until('"')?;
            element.attributes.push((name, value));
            self.expect("\"")?;
        }
        if let Some(rest) = self.rest.strip_prefix("/>") {
            self.rest = rest;
            return Ok(element);
        }
        self.expect(">")?;
        loop {
            let text = self.until('<')?;
            element.text.push_str(&text);
            if let Some(rest) = self.rest.strip_prefix("</") {
                self.rest = rest;
                let end = format!("{}>", element.name);
                self.expect(&end)?;
                return Ok(element);
            }
            element.children.push(self.element(depth + 1)?);
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "@:_-".contains(c);
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        match name {
            "" => Err(format!("no name at {:?}", near(rest))),
            name => Ok(name.to_owned()),
        }
    }

    /// Returns the text up to this character, with its references resolved.
    fn until(&mut self, end: char) -> Result<String, String> {
        let position = self.rest.find(end).ok_or_else(|| format!("no {end} behind {:?}", near(self.rest)))?;
        let (raw, rest) = self.rest.split_at(position);
        self.rest = rest;
        let mut pieces = raw.split('&');
        let mut text = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (name, behind) = piece.split_once(';').ok_or("a reference without an end")?;
            text.push(resolve(name).ok_or_else(|| format!("the reference {name:?}"))?);
            text.push_str(behind);
        }
        Ok(text)
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        self.rest = self.rest.strip_prefix(text).ok_or_else(|| format!("not {text:?} but {:?}", near(self.rest)))?;
        Ok(())
    }
}

fn resolve(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    })
}

fn near(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_attributes_and_references_are_read() {
        let root = read(r#"<?xml version="1.0" encoding="UTF-8"?><a x="1"><b>&lt;&#233;</b><b/></a>"#);
        let root = root.unwrap();
        assert_eq!(root.attributes, [("x".to_owned(), "1".to_owned())]);
        let texts: Vec<_> = root.children.iter().map(|child| child.text.as_str()).collect();
        assert_eq!(texts, ["<é", ""]);
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for text in ["", "<a>", "<a></b>", "<a/>x", "<a>&nope;</a>", "<a x=1/>", "a", "<a><!-- x --></a>"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
