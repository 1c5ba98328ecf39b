import type { Static } from 'typebox'
import { annotate } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

/** Maximum number of issues of a style in an answer. */
export const maxStyleIssues = 100

const StyleIssueSchema = Type.Object({
  code: Type.String(),
  message: Type.String(),
  line: Type.Integer({ description: 'Line in the style, starting at 1.' }),
  column: Type.Integer({ description: 'Column in the line, starting at 1.' }),
  hint: Type.Optional(Type.String({ description: 'What to do.' })),
})

/** A part of a style that is not drawn as the style says, as in responses. */
export type WireStyleIssue = Static<typeof StyleIssueSchema>

/** Parts of a written style that are not drawn as the style says. An extension of the original API. */
export const StyleIssuesSchema = Type.Optional(
  annotate(
    Type.Array(StyleIssueSchema, {
      description: `Parts of a written style that are not drawn as the style says, at most ${maxStyleIssues}.`,
    }),
    { 'x-extension': true },
  ),
)
