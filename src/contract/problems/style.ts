import { core, type ProblemKind } from './kind.ts'

/** Problems with styles. */
export const styleProblems = {
  'style/invalid': {
    title: 'Style cannot be used',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Correct the style at the line and column given in the message.',
  },
  'style/bad-xml': {
    title: 'Invalid XML',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Write well-formed XML.',
  },
  'style/bad-value': {
    title: 'Invalid value in a style',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Use a value that the element allows.',
  },
  'style/missing-field': {
    title: 'Style names a missing field',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Add the field to the layer, or name another field in the style.',
  },
  'style/unknown': {
    title: 'Unsupported part of a style',
    exit: 3,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Remove it, or accept that it is not rendered.',
  },
} as const satisfies Record<string, ProblemKind>
