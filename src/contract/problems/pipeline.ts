import { core, kind, type ProblemKind } from './kind.ts'

/** What can stop a pipeline, or a command. */
export const pipelineProblems = {
  'pipeline/bad-value': kind(422, 3, 'Bad value', `${core}.ValidationError`, 'Correct the value.'),
  'pipeline/unknown-field': kind(
    422,
    3,
    'Unknown field',
    `${core}.ValidationError`,
    'Remove the field, or correct its name.',
  ),
  'pipeline/missing-field': kind(422, 3, 'Missing field', `${core}.ValidationError`, 'Add the field.'),
  'pipeline/invalid': kind(
    422,
    3,
    'Invalid pipeline',
    `${core}.ValidationError`,
    'Mend the errors and try again.',
  ),
  'pipeline/no-layer': kind(
    422,
    3,
    'No such layer',
    `${core}.ValidationError`,
    'Apply the manifest that holds the layer first, or correct its keyname.',
  ),
  'pipeline/rows': kind(
    422,
    4,
    'Unexpected number of rows',
    `${core}.ValidationError`,
    'Check that the source is complete, or change check.rows.',
  ),
  'pipeline/counts': kind(
    500,
    1,
    'Counts do not add up',
    `${core}.ValidationError`,
    'Nothing was reported as done; run it again, and report it if it stays so.',
  ),
  'pipeline/quarantine': kind(
    422,
    4,
    'Too many bad rows',
    `${core}.ValidationError`,
    'Correct the rows, or raise quarantine.limit.',
  ),
  'pipeline/interrupted': kind(500, 130, 'Interrupted', `${core}.ValidationError`, 'Run it again.'),
  'usage/bad-argument': kind(422, 3, 'Bad argument', `${core}.ValidationError`, 'See --help.'),
  'data/two-owners': kind(
    422,
    3,
    'Two owners of the data',
    `${core}.ValidationError`,
    "Let either the manifest's data: or a pipeline fill the layer.",
  ),
} as const satisfies Record<string, ProblemKind>
