import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong with styles. */
export const styleProblems = {
  'style/invalid': kind(
    422,
    3,
    'Style cannot be used',
    `${core}.ValidationError`,
    'Correct the style at the line and column that the message names.',
  ),
  'style/bad-xml': kind(422, 3, 'Bad XML', `${core}.ValidationError`, 'Write well-formed XML.'),
  'style/bad-value': kind(
    422,
    3,
    'Bad value in a style',
    `${core}.ValidationError`,
    'Write a value that the element takes.',
  ),
  'style/unknown': kind(
    422,
    3,
    'Unknown part of a style',
    `${core}.ValidationError`,
    'Leave it out, or accept that it is not drawn.',
  ),
} as const satisfies Record<string, ProblemKind>
