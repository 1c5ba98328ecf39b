import type { ProblemKind } from './kind.ts'

/** What can stop a pipeline, or a command. */
export const pipelineProblems = {
  'pipeline/bad-value': {
    title: 'Bad value',
    exit: 3,
    advice: 'Correct the value.',
  },
  'pipeline/unknown-field': {
    title: 'Unknown field',
    exit: 3,
    advice: 'Remove the field, or correct its name.',
  },
  'pipeline/missing-field': {
    title: 'Missing field',
    exit: 3,
    advice: 'Add the field.',
  },
  'pipeline/invalid': {
    title: 'Invalid pipeline',
    exit: 3,
    advice: 'Mend the errors and try again.',
  },
  'pipeline/no-layer': {
    title: 'No such layer',
    exit: 3,
    advice: 'Apply the manifest that holds the layer first, or correct its keyname.',
  },
  'pipeline/rows': {
    title: 'Unexpected number of rows',
    exit: 4,
    advice: 'Check that the source is complete, or change check.rows.',
  },
  'pipeline/counts': {
    title: 'Counts do not add up',
    exit: 1,
    advice: 'Nothing was reported as done; run it again, and report it if it stays so.',
  },
  'pipeline/quarantine': {
    title: 'Too many bad rows',
    exit: 4,
    advice: 'Correct the rows, or raise quarantine.limit.',
  },
  'pipeline/interrupted': {
    title: 'Interrupted',
    exit: 130,
    advice: 'Run it again.',
  },
  'usage/bad-argument': {
    title: 'Bad argument',
    exit: 3,
    advice: 'See --help.',
  },
  'data/two-owners': {
    title: 'Two owners of the data',
    exit: 3,
    advice: "Let either the manifest's data: or a pipeline fill the layer.",
  },
} as const satisfies Record<string, ProblemKind>
