import { relative } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { isProblem } from '../../core/problem.ts'
import type { LayerReport, RunReport } from '../../pipeline/run_event.ts'
import { runPipeline } from '../../pipeline/run_pipeline.ts'
import { isIntact } from '../../pipeline/snapshot.ts'
import { readActual } from '../../reconcile/model/actual_tree.ts'
import { InitFailure } from '../init_failure.ts'
import { editedData } from '../project_inputs.ts'
import { type Properties, unknownValue, type Values } from '../property_values.ts'
import type { Connection } from '../write_resource.ts'
import { layersOf, type RunPlace, readPipeline } from './check_run.ts'
import { layerOutputs, runOutputs } from './run_schema.ts'

/** A run that is recorded in the state. */
export interface ExecutedRun {
  readonly id: string
  readonly outputs: Values
  /** Quarantined rows and remarks. */
  readonly warnings: readonly string[]
}

/** Returns the outputs of a run that has not been executed. */
export function previewRun({ values }: Properties): Values {
  const unknown = [...Object.keys(runOutputs), 'layers'].map((name) => [name, unknownValue])
  return { ...values, ...Object.fromEntries(unknown) }
}

/**
 * Runs the pipeline of checked inputs.
 *
 * @throws {InitFailure} if the run fails; without its digest in the state, the next update runs the pipeline again
 */
export async function executeRun(inputs: Properties, place: ConnectedPlace): Promise<ExecutedRun> {
  const { pipeline, faults } = await readPipeline(inputs, place.folder)
  if (pipeline === undefined)
    throw problem(
      'usage/bad-argument',
      faults.map(({ property, reason }) => `${property}: ${reason}`).join('\n'),
    )
  const { api, memory, signal } = place.connection
  try {
    const report = await runPipeline(pipeline, { api, signal, force: false, tell: () => undefined })
    return {
      id: pipeline.pipeline,
      outputs: { ...inputs.values, ...outputsOf(report, place.folder) },
      warnings: report.layers.flatMap(warningsOf),
    }
  } catch (error) {
    if (!isProblem(error)) throw error
    const { digest: _, ...kept } = inputs.values
    const message = error.hint === undefined ? error.message : `${error.message} ${error.hint}`
    throw new InitFailure(message, {
      ...{ id: pipeline.pipeline, inputs: kept, outputs: kept },
      secrets: inputs.secrets,
    })
  } finally {
    const tree = await memory.load().catch(() => undefined)
    for (const key of layersOf(pipeline)) {
      const id = tree?.idOfKey.get(key)
      if (id !== undefined) await memory.markWritten(id, key)
    }
  }
}

/** A place with a server. */
export interface ConnectedPlace extends RunPlace {
  readonly connection: Connection
}

function outputsOf({ run, outcome, layers }: RunReport, folder: string): Values {
  // Absolute paths differ between the machines that use a stack.
  const shown = (path: string | undefined) => (path === undefined ? undefined : relative(folder, path))
  const sum = (name: 'read' | 'loaded' | 'unchanged' | 'quarantined') =>
    layers.reduce((total, layer) => total + layer[name], 0)
  return {
    ...{ run, outcome, read: sum('read'), loaded: sum('loaded') },
    ...{ unchanged: sum('unchanged'), quarantined: sum('quarantined') },
    layers: layers.map(({ dataVersion, quarantine, file, ...layer }) => {
      const files = { file: shown(file), quarantine_file: shown(quarantine?.file) }
      const all = { ...layer, ...files, data_version: dataVersion }
      return Object.fromEntries(Object.entries(all).filter(([name]) => Object.hasOwn(layerOutputs, name)))
    }),
  }
}

function warningsOf({ layer, quarantined, read, quarantine, notes = [] }: LayerReport): string[] {
  if (quarantine === undefined) return [...notes]
  const reasons = quarantine.first.map(({ line, reason }) => `line ${line}: ${reason}`)
  const file = quarantine.file === undefined ? '' : `; the rows are in ${quarantine.file}`
  return [
    `${layer}: ${quarantined} of ${countOf(read, 'row')} quarantined: ${reasons.join('; ')}${file}`,
    ...notes,
  ]
}

/**
 * Returns the inputs of a run, with another digest if its layers or files are not what it has left. Undefined if a layer is
 * gone.
 */
export async function readRun(
  { values }: Properties,
  outputs: Values,
  { connection, folder }: ConnectedPlace,
): Promise<Values | undefined> {
  const { memory } = connection
  const tree = await memory.load()
  const layers = (outputs.layers ?? []) as readonly RunLayer[]
  let isChanged = false
  for (const layer of layers) {
    const id = tree.idOfKey.get(layer.layer)
    if (id !== undefined) await memory.freshen([id])
    const wire = id === undefined ? undefined : tree.byId.get(id)
    if (wire === undefined) return undefined
    const { source, dataVersion } = readActual(wire)
    // Other servers do not tell whether data have changed.
    if (dataVersion === undefined) continue
    const isLoaded = source?.digest === layer.digest && source.version === dataVersion
    const isCurrent = layer.file === undefined ? isLoaded : layer.data_version === dataVersion
    isChanged ||= !isCurrent || !(await hasFile(layer, folder))
  }
  return isChanged ? { ...values, digest: editedData } : values
}

/** A layer in the outputs of a run. */
interface RunLayer {
  readonly layer: string
  readonly digest: string
  readonly data_version?: number
  readonly file?: string
}

async function hasFile({ file, digest }: RunLayer, folder: string): Promise<boolean> {
  return file === undefined || isIntact(folder, { file, sha256: digest })
}
