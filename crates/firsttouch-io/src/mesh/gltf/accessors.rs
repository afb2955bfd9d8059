//! The accessors of glTF: lists of elements in buffers, every range checked before anything is read.

use super::{Accessor, Buffered, Root, Sparse, get};
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::source::shown;

pub(super) const U8: u32 = 5121;
pub(super) const U16: u32 = 5123;
pub(super) const U32: u32 = 5125;
pub(super) const FLOAT: u32 = 5126;

/// Returns the elements of an accessor: those of its buffer, or zeros, and the sparse ones in their places.
pub(super) fn elements<T: Copy + Default>(
    root: &Root,
    buffers: &[Buffered<'_>],
    accessor_index: usize,
    (shape, components): (&str, &[u32]),
    element: impl Fn(&Range<'_>, usize) -> T,
    files: &Files,
) -> Result<Vec<T>, Fault> {
    let place = || Place::Item(format!("accessors[{accessor_index}]"));
    let accessor = get(&root.accessors, accessor_index, "accessor", place)?;
    let &Accessor { buffer_view, byte_offset, component_type, count, .. } = accessor;
    if accessor.shape != shape || !components.contains(&component_type) {
        let found = format!("{} of type {component_type}", shown(accessor.shape.as_bytes()));
        let text = format!("expected a {shape} of type {components:?}, found {found}");
        return Err(Problem::Unsupported(text).at(place()));
    }
    let list = |view: usize, offset: usize, count: usize, shape: &str, component: u32| {
        let is_vector = shape == "VEC3";
        Range::of(root, buffers, RangeInput { view, offset, count, is_vector, component }, place())
    };
    let mut all: Vec<T> = match (buffer_view, &accessor.sparse) {
        (Some(view), _) => {
            let range = list(view, byte_offset, count, shape, component_type)?;
            (0..count).map(|i| element(&range, i)).collect()
        }
        (None, Some(_)) => {
            let bytes = (count as u64).saturating_mul(2 * size_of::<T>() as u64);
            files.fits(bytes, "the accessor").map_err(|problem| problem.at(place()))?;
            if u32::try_from(count).is_err() {
                let what = "the number of elements".into();
                return Err(Problem::TooLarge { what, limit: u64::from(u32::MAX) }.at(place()));
            }
            vec![T::default(); count]
        }
        (None, None) => return Err(malformed("the accessor has no bufferView").at(place())),
    };
    if let Some(Sparse { count, indices, values }) = &accessor.sparse {
        let component = indices.component_type.unwrap_or_default();
        if ![U8, U16, U32].contains(&component) {
            return Err(malformed(format!("sparse indices of type {component}")).at(place()));
        }
        let at = list(indices.buffer_view, indices.byte_offset, *count, "SCALAR", component)?;
        let new = list(values.buffer_view, values.byte_offset, *count, shape, component_type)?;
        for i in 0..*count {
            let (index, len) = (at.unsigned(i), all.len());
            let what = || "sparse index".into();
            let slot = all.get_mut(index as usize).ok_or_else(|| {
                Problem::IndexOutOfRange { what: what(), index: i64::from(index), len }.at(place())
            })?;
            *slot = element(&new, i);
        }
    }
    Ok(all)
}

/// A part of a buffer that holds a list of elements.
struct RangeInput {
    view: usize,
    offset: usize,
    count: usize,
    is_vector: bool,
    component: u32,
}

/// An accessor whose every element is known to lie inside its buffer.
pub(super) struct Range<'a> {
    view: &'a [u8],
    offset: usize,
    stride: usize,
    component: u32,
}

impl<'a> Range<'a> {
    fn of(root: &Root, buffers: &'a [Buffered<'_>], input: RangeInput, place: Place) -> Result<Self, Fault> {
        let RangeInput { view: view_index, offset, count, is_vector, component } = input;
        let here = || place.clone();
        let view = get(&root.buffer_views, view_index, "bufferView", here)?;
        let buffer =
            get(buffers, view.buffer, "buffer", || Place::Item(format!("bufferViews[{view_index}]")))?;
        let too_short = |what: &str| Problem::Truncated { what: what.into() }.at(here());
        let bytes = buffer.get(view.byte_offset..).and_then(|b| b.get(..view.byte_length));
        let bytes = bytes.ok_or_else(|| too_short("the bufferView"))?;
        let one = match component {
            U8 => 1,
            U16 => 2,
            _ => 4,
        };
        let size = if is_vector { 3 * one } else { one };
        let stride = view.byte_stride.unwrap_or(size);
        if stride < size {
            return Err(malformed(format!("byteStride {stride} is less than an element")).at(here()));
        }
        // The last element ends at offset + (count - 1) stride + size.
        let end = count
            .checked_sub(1)
            .map_or(Some(0), |last| last.checked_mul(stride)?.checked_add(size)?.checked_add(offset));
        if end.is_none_or(|end| end > bytes.len()) || u32::try_from(count).is_err() {
            let spare = bytes.len().checked_sub(offset).and_then(|room| room.checked_sub(size));
            let at_most = spare.map_or(0, |spare| spare / stride + 1) as u64;
            let (what, count) = ("elements".into(), count as u64);
            return Err(Problem::CountTooLarge { what, count, at_most }.at(here()));
        }
        Ok(Range { view: bytes, offset, stride, component })
    }

    pub(super) fn bytes(&self, i: usize, within: usize) -> &'a [u8] {
        let start = self.offset + i * self.stride + within;
        &self.view[start..start + 4]
    }

    pub(super) fn unsigned(&self, i: usize) -> u32 {
        let start = self.offset + i * self.stride;
        let bytes = &self.view[start..];
        match (self.component, bytes) {
            (U8, &[a, ..]) => u32::from(a),
            (U16, &[a, b, ..]) => u32::from(u16::from_le_bytes([a, b])),
            (_, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
            _ => u32::MAX, // not reached: `of` has checked the range
        }
    }
}
