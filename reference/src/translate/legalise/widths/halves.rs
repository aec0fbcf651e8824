//! Numbers of more than 64 bits, as two integers.

use super::{Body, Number};

impl Body {
    pub(super) fn halves(&mut self, pair: &str) -> [String; 2] {
        [0, 1].map(|n| self.set(&format!("extractelement <2 x i64> {pair}, i32 {n}")))
    }

    pub(super) fn pair(&mut self, [low, high]: [&str; 2], number: Number) -> String {
        let high = self.masked(high, number);
        let part = self.set(&format!(
            "insertelement <2 x i64> zeroinitializer, i64 {low}, i32 0"
        ));
        self.set(&format!(
            "insertelement <2 x i64> {part}, i64 {high}, i32 1"
        ))
    }

    pub(super) fn computed_in_halves(&mut self, name: &str, number: Number) -> Option<String> {
        let [x0, x1] = self.halves("%x");
        let [y0, y1] = self.halves("%y");
        let (low, high) = match name {
            "and" | "or" | "xor" => (
                self.set(&format!("{name} i64 {x0}, {y0}")),
                self.set(&format!("{name} i64 {x1}, {y1}")),
            ),
            "add" => {
                let low = self.set(&format!("add i64 {x0}, {y0}"));
                let carries = self.set(&format!("icmp ult i64 {low}, {x0}"));
                (low, self.with_carry("add", &x1, &y1, &carries))
            }
            "sub" => {
                let low = self.set(&format!("sub i64 {x0}, {y0}"));
                let borrows = self.set(&format!("icmp ult i64 {x0}, {y0}"));
                (low, self.with_carry("sub", &x1, &y1, &borrows))
            }
            "mul" => self.product([&x0, &x1], [&y0, &y1]),
            "shl" => {
                let (far, near) = self.distance(&y0);
                let moved = self.set(&format!("shl i64 {x0}, {near}"));
                let high = self.set(&format!("shl i64 {x1}, {near}"));
                let over = self.set(&format!("lshr i64 {x0}, 1"));
                let over = self.shifted_rest("lshr", &over, &near);
                let high = self.set(&format!("or i64 {high}, {over}"));
                (
                    self.set(&format!("select i1 {far}, i64 0, i64 {moved}")),
                    self.set(&format!("select i1 {far}, i64 {moved}, i64 {high}")),
                )
            }
            "lshr" | "ashr" => {
                let (far, near) = self.distance(&y0);
                let (x1, beyond) = match name {
                    "ashr" => {
                        let x1 = self.signed(&x1, number);
                        let sign = self.set(&format!("ashr i64 {x1}, 63"));
                        (x1, sign)
                    }
                    _ => (x1, "0".to_owned()),
                };
                let moved = self.set(&format!("{name} i64 {x1}, {near}"));
                let low = self.set(&format!("lshr i64 {x0}, {near}"));
                let over = self.set(&format!("shl i64 {x1}, 1"));
                let over = self.shifted_rest("shl", &over, &near);
                let low = self.set(&format!("or i64 {low}, {over}"));
                (
                    self.set(&format!("select i1 {far}, i64 {moved}, i64 {low}")),
                    self.set(&format!("select i1 {far}, i64 {beyond}, i64 {moved}")),
                )
            }
            _ => return None, // Division comes from no idiom.
        };
        Some(self.pair([&low, &high], number))
    }

    fn with_carry(&mut self, name: &str, x: &str, y: &str, carry: &str) -> String {
        let carry = self.set(&format!("zext i1 {carry} to i64"));
        let high = self.set(&format!("{name} i64 {x}, {y}"));
        self.set(&format!("{name} i64 {high}, {carry}"))
    }

    /// Whether a shift goes beyond a half, and how far within one.
    fn distance(&mut self, by: &str) -> (String, String) {
        let far = self.set(&format!("icmp uge i64 {by}, 64"));
        let near = self.set(&format!("and i64 {by}, 63"));
        (far, near)
    }

    /// What a shift by `near` moves into the other half, of a half that was moved by one already.
    fn shifted_rest(&mut self, name: &str, half: &str, near: &str) -> String {
        let rest = self.set(&format!("sub i64 63, {near}"));
        self.set(&format!("{name} i64 {half}, {rest}"))
    }

    /// The halves of a product, from products of quarters.
    fn product(&mut self, [x0, x1]: [&str; 2], [y0, y1]: [&str; 2]) -> (String, String) {
        let mut quarters = |half: &str| {
            let low = self.set(&format!("and i64 {half}, 4294967295"));
            let high = self.set(&format!("lshr i64 {half}, 32"));
            [low, high]
        };
        let (a, b) = (quarters(x0), quarters(y0));
        let low = self.set(&format!("mul i64 {x0}, {y0}"));
        let mut times = |x: &str, y: &str| self.set(&format!("mul i64 {x}, {y}"));
        let (p00, p01) = (times(&a[0], &b[0]), times(&a[0], &b[1]));
        let (p10, p11) = (times(&a[1], &b[0]), times(&a[1], &b[1]));
        let (q01, q10) = (times(x0, y1), times(x1, y0));
        let carry = self.set(&format!("lshr i64 {p00}, 32"));
        let middle = self.set(&format!("add i64 {p01}, {carry}"));
        let over = self.set(&format!("lshr i64 {middle}, 32"));
        let middle = self.set(&format!("and i64 {middle}, 4294967295"));
        let middle = self.set(&format!("add i64 {middle}, {p10}"));
        let more = self.set(&format!("lshr i64 {middle}, 32"));
        let mut high = p11;
        for part in [over, more, q01, q10] {
            high = self.set(&format!("add i64 {high}, {part}"));
        }
        (low, high)
    }
}
