import { CustomResource, type CustomResourceOptions, type Input, type Output } from '@pulumi/pulumi'
import { runToken } from '../provider/resource_type.ts'
import { runInputs, runOutputs } from '../provider/run/run_schema.ts'
import type { ExportPipeline, ImportPipeline, RunLayer } from './classes/run_types.ts'
import type { Deep } from './landform_resource.ts'

/** Properties of `Run`. */
export interface RunProperties {
  /** Path of a pipeline file, relative to the program, or a definition, whose paths start from the folder of the program. */
  readonly pipeline: Deep<string | ImportPipeline | ExportPipeline>
  /** Variables for `${env.NAME}` in the pipeline file. */
  readonly env?: Input<Readonly<Record<string, Input<string>>>>
  /** Values whose change runs the pipeline again, such as `layer.resource_id`. */
  readonly triggers?: Input<readonly Input<unknown>[]>
}

/**
 * A run of a pipeline: it loads a file into a layer, or exports layers to files, whenever the pipeline, its source or its
 * triggers change. The deletion of a run keeps the data and the files.
 */
export class Run extends CustomResource {
  declare readonly pipeline: Output<string | ImportPipeline | ExportPipeline>
  declare readonly env: Output<Readonly<Record<string, string>> | undefined>
  declare readonly triggers: Output<readonly unknown[] | undefined>
  /** SHA-256 of the definition, the file that is loaded, and the state of the layers. */
  declare readonly digest: Output<string>
  /** Id of the last run. */
  declare readonly run: Output<string>
  /** Outcome of the last run. */
  declare readonly outcome: Output<'loaded' | 'exported' | 'unchanged'>
  /** Number of rows or features read; in total `loaded`, `unchanged` and `quarantined`. */
  declare readonly read: Output<number>
  /** Number of rows loaded, or of features exported. */
  declare readonly loaded: Output<number>
  /** Number of rows or features that were there already. */
  declare readonly unchanged: Output<number>
  /** Number of bad rows, which were not loaded. */
  declare readonly quarantined: Output<number>
  /** Result for each layer. */
  declare readonly layers: Output<readonly RunLayer[]>

  constructor(name: string, args: RunProperties, options?: CustomResourceOptions) {
    const names = [...Object.keys(runInputs), ...Object.keys(runOutputs), 'layers']
    // The program reads all properties, also those that it does not set.
    const absent = Object.fromEntries(names.map((property) => [property, undefined]))
    super(runToken, name, { ...absent, ...args }, options)
  }
}
