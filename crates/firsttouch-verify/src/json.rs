//! A strict reader of JSON.
//!
//! One text is one value. Refused are: members of an object with the same name, numbers that are not finite in f64,
//! values nested deeper than [`DEEPEST`], escapes other than `\"`, `\\` and `\uXXXX`, halves of surrogate pairs, and
//! anything after the value. Memory is proportional to the length of the text.

/// A certificate needs five levels.
const DEEPEST: usize = 8;

/// Larger numbers are refused, so that squares of sums of them are finite.
const LARGEST: f64 = 1e100;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// The value, and whether it is written with digits alone, as an index has to be.
    Number(f64, bool),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Reads one value.
pub(crate) fn read(text: &str) -> Result<Json, String> {
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    if reader.at == reader.bytes.len() { Ok(value) } else { Err(reader.wrong("something after the value")) }
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> String {
        format!("{what} at byte {}", self.at)
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    #[inline]
    fn takes(&mut self, what: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(what.as_bytes());
        if found {
            self.at += what.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err(self.wrong("values nested too deeply"));
        }
        self.space();
        match self.peek() {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => Ok(Json::Text(self.string()?)),
            b'-' | b'0'..=b'9' => self.number(),
            _ if self.takes("null") => Ok(Json::Null),
            _ if self.takes("true") => Ok(Json::Bool(true)),
            _ if self.takes("false") => Ok(Json::Bool(false)),
            _ => Err(self.wrong("no value")),
        }
    }

    /// Reads a sign, after white space.
    fn sign(&mut self, sign: &str) -> Result<(), String> {
        self.space();
        if self.takes(sign) { Ok(()) } else { Err(self.wrong(&format!("no {sign}"))) }
    }

    /// Returns whether another item follows, after the opening bracket or an item.
    fn another(&mut self, is_first: bool, close: &str) -> Result<bool, String> {
        self.space();
        if self.takes(close) {
            return Ok(false);
        }
        if is_first { Ok(true) } else { self.sign(",").map(|()| true) }
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut items = Vec::new();
        while self.another(items.is_empty(), "]")? {
            items.push(self.value(depth + 1)?);
        }
        Ok(Json::List(items))
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut members: Vec<(String, Json)> = Vec::new();
        while self.another(members.is_empty(), "}")? {
            let name = self.string()?;
            if members.len() >= 16 || members.iter().any(|(known, _)| *known == name) {
                return Err(self.wrong("too many members, or two of the same name"));
            }
            self.sign(":")?;
            members.push((name, self.value(depth + 1)?));
        }
        Ok(Json::Object(members))
    }

    fn string(&mut self) -> Result<String, String> {
        self.sign("\"")?;
        let mut string = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), b'"' | b'\\') && self.peek() >= 0x20 {
                self.at += 1;
            }
            // A quote, a backslash and a control character are single bytes, so the slice ends between characters.
            string.push_str(&self.text[start..self.at]);
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(string);
                }
                b'\\' => {
                    self.at += 1;
                    let escaped = self.peek();
                    self.at += 1;
                    string.push(match escaped {
                        b'"' | b'\\' => escaped as char,
                        b'u' => {
                            let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
                            self.at += digits.len();
                            let digit = |code: u32, c: char| Some(code * 16 + c.to_digit(16)?);
                            let code = digits.chars().try_fold(0, digit).and_then(char::from_u32);
                            code.filter(|_| digits.len() == 4).ok_or_else(|| self.wrong("a wrong escape"))?
                        }
                        _ => return Err(self.wrong("a wrong escape")),
                    });
                }
                _ => return Err(self.wrong("a string without an end, or a control character in it")),
            }
        }
    }

    fn digits(&mut self) -> Result<(), String> {
        let count = self.bytes[self.at..].iter().take_while(|digit| digit.is_ascii_digit()).count();
        self.at += count;
        if count > 0 { Ok(()) } else { Err(self.wrong("no digit")) }
    }

    fn number(&mut self) -> Result<Json, String> {
        let start = self.at;
        let mut whole = !self.takes("-");
        if self.peek() == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.takes(".") {
            whole = false;
            self.digits()?;
        }
        if self.takes("e") || self.takes("E") {
            whole = false;
            let _ = self.takes("+") || self.takes("-");
            self.digits()?;
        }
        let value: f64 = self.text[start..self.at].parse().map_err(|_| self.wrong("a wrong number"))?;
        if value.abs() <= LARGEST {
            Ok(Json::Number(value, whole))
        } else {
            Err(self.wrong("too large a number"))
        }
    }
}

/// The members of an object, to be taken out one by one.
pub(crate) struct Members(Vec<(String, Json)>);

impl Members {
    pub(crate) fn of(value: Json) -> Result<Members, String> {
        match value {
            Json::Object(members) => Ok(Members(members)),
            _ => Err("an object was expected".into()),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }

    pub(crate) fn optional(&mut self, name: &str) -> Option<Json> {
        let place = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.swap_remove(place).1)
    }

    pub(crate) fn take(&mut self, name: &str) -> Result<Json, String> {
        self.optional(name).ok_or_else(|| format!("\"{name}\" is missing"))
    }

    /// Refuses an object with a member that was not taken.
    pub(crate) fn end(self) -> Result<(), String> {
        self.0.first().map_or(Ok(()), |(name, _)| Err(format!("\"{name}\" is not known here")))
    }
}

impl Json {
    pub(crate) fn number(self) -> Result<f64, String> {
        if let Json::Number(value, _) = self { Ok(value) } else { Err("a number was expected".into()) }
    }

    pub(crate) fn index(self) -> Result<usize, String> {
        match self {
            Json::Number(value, true) if value < 4e9 => Ok(value as usize),
            _ => Err("an index was expected".into()),
        }
    }

    pub(crate) fn text(self) -> Result<String, String> {
        if let Json::Text(text) = self { Ok(text) } else { Err("a text was expected".into()) }
    }

    pub(crate) fn list(self) -> Result<Vec<Json>, String> {
        if let Json::List(items) = self { Ok(items) } else { Err("a list was expected".into()) }
    }

    /// The items, each converted.
    pub(crate) fn each<T>(self, convert: impl Fn(Json) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.list()?.into_iter().map(convert).collect()
    }

    /// Rows of `N` numbers that are written one after the other.
    pub(crate) fn rows<const N: usize>(self) -> Result<Vec<[f64; N]>, String> {
        let numbers = self.each(Json::number)?;
        let (rows, rest) = numbers.as_chunks();
        if rest.is_empty() { Ok(rows.to_vec()) } else { Err(format!("the list is not made of rows of {N}")) }
    }

    /// One row of `N` numbers.
    pub(crate) fn row<const N: usize>(self) -> Result<[f64; N], String> {
        self.each(Json::number)?.try_into().map_err(|_| format!("{N} numbers were expected"))
    }

    /// Two indices.
    pub(crate) fn pair(self) -> Result<[usize; 2], String> {
        self.each(Json::index)?.try_into().map_err(|_| "two indices were expected".into())
    }
}
