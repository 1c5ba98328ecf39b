type Spec = Readonly<Record<string, unknown>>

/** Inputs of a run that a program sets, by name. */
export const runInputs: Readonly<Record<string, Spec>> = {
  pipeline: {
    description:
      'Pipeline: the path of its file, relative to the program, or its definition, whose paths start from the folder of the program.',
  },
  env: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Variables for ${env.NAME} in the pipeline file.',
  },
  triggers: {
    type: 'array',
    items: { $ref: 'pulumi.json#/Any' },
    description: 'Values whose change runs the pipeline again.',
  },
  digest: {
    type: 'string',
    description:
      'SHA-256 of the definition, the file that is loaded, and the state of the layers; computed, and not set by programs.',
  },
}

const counts: Readonly<Record<string, Spec>> = {
  read: { type: 'integer', description: 'Number of rows or features read.' },
  loaded: { type: 'integer', description: 'Number of rows loaded, or of features exported.' },
  unchanged: { type: 'integer', description: 'Number of rows or features that were there already.' },
  quarantined: { type: 'integer', description: 'Number of bad rows, which were not loaded.' },
}

/** Outputs of a run for each layer, by name. */
export const layerOutputs: Readonly<Record<string, Spec>> = {
  layer: { type: 'string', description: 'Keyname of the layer.' },
  ...counts,
  digest: {
    type: 'string',
    description: 'SHA-256 of the source with its options, or of the exported file.',
  },
  data_version: { type: 'integer', description: 'Version of the data of the layer after the run.' },
  file: { type: 'string', description: 'Path of the exported file.' },
  quarantine_file: { type: 'string', description: 'Path of the file with the bad rows.' },
}

/** Outputs that a run has for each layer. */
export const requiredLayerOutputs = ['layer', ...Object.keys(counts), 'digest']

/** Outputs of a run, by name. */
export const runOutputs: Readonly<Record<string, Spec>> = {
  run: { type: 'string', description: 'Id of the last run.' },
  outcome: { type: 'string', description: 'Outcome of the last run: loaded, exported or unchanged.' },
  ...counts,
}

/** Description of runs. */
export const runMeaning =
  'A run of a pipeline: it loads a file into a layer, or exports layers to files, whenever the pipeline, its source or its triggers change. Its deletion keeps the data.'
