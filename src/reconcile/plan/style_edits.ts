import type { GeometryFamily } from '../../contract/geometry.ts'
import { joinPointer } from '../../core/pointer.ts'
import { findStyle, styleMembers } from '../../style/check_style_text.ts'
import { diffStyles } from '../../style/diff/style_diff.ts'
import type { Edit } from '../model/change.ts'

/** Adds the differences by rule and symbol to edits of the texts of styles that can be read. */
export function withStyles(
  edits: readonly Edit[],
  findFamily: () => GeometryFamily | undefined,
): readonly Edit[] {
  return edits.map((edit) => {
    const member = styleMembers.find(({ cls, field }) => edit.pointer === joinPointer(`/${cls}`, field))
    const { from, to } = edit
    if (member === undefined || typeof from !== 'string' || typeof to !== 'string') return edit
    const [old, next] = [from, to].map((text) => findStyle(member.language, text, findFamily()))
    return old === undefined || next === undefined ? edit : { ...edit, style: diffStyles(old, next) }
  })
}
