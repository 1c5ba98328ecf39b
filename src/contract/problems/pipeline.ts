import { core, kind, type ProblemKind } from './kind.ts'

/** What can stop a pipeline, or a command. */
export const pipelineProblems = {
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
    'Look at the quarantine file, mend the source, or raise the limit.',
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
