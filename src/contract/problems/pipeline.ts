import type { ProblemKind } from './kind.ts'

/** Problems of pipelines and commands. */
export const pipelineProblems = {
  'pipeline/bad-value': {
    title: 'Invalid value',
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
    advice: 'Correct the errors and try again.',
  },
  'pipeline/no-layer': {
    title: 'Layer not found',
    exit: 3,
    advice: 'Apply the manifest that declares the layer first, or correct the keyname.',
  },
  'pipeline/rows': {
    title: 'Unexpected number of rows',
    exit: 4,
    advice: 'Check that the source is complete, or change check.rows.',
  },
  'pipeline/counts': {
    title: 'Row counts do not match',
    exit: 1,
    advice:
      'Run the pipeline again; report the problem if it persists. The run was not recorded as successful.',
  },
  'pipeline/quarantine': {
    title: 'Too many invalid rows',
    exit: 4,
    advice: 'Correct the rows, or raise quarantine.limit.',
  },
  'pipeline/interrupted': {
    title: 'Interrupted',
    exit: 130,
    advice: 'Run the command again.',
  },
  'usage/bad-argument': {
    title: 'Invalid argument',
    exit: 3,
    advice: 'See --help.',
  },
  'data/two-owners': {
    title: 'Conflicting data sources',
    exit: 3,
    advice: 'Load the layer either from data: in the manifest or with a pipeline.',
  },
} as const satisfies Record<string, ProblemKind>
