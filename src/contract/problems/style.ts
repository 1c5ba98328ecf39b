import { core, type ProblemKind } from './kind.ts'

/** What can be wrong with styles. */
export const styleProblems = {
  'style/invalid': {
    title: 'Style cannot be used',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Correct the style at the line and column that the message names.',
  },
  'style/bad-xml': {
    title: 'Bad XML',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Write well-formed XML.',
  },
  'style/bad-value': {
    title: 'Bad value in a style',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Write a value that the element takes.',
  },
  'style/unknown': {
    title: 'Unknown part of a style',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Leave it out, or accept that it is not drawn.',
  },
} as const satisfies Record<string, ProblemKind>
