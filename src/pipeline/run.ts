import { randomUUID } from 'node:crypto'
import { problem } from '../contract/problems.ts'
import type { RunContext } from './context.ts'
import type { LayerReport, RunReport } from './event.ts'
import { runExport } from './export.ts'
import { runImport } from './import.ts'
import type { Pipeline } from './pipeline.ts'

/**
 * Runs a pipeline once. A run is done only when its counts add up: read = loaded + unchanged + quarantined.
 *
 * @throws {Problem} what stopped it; the layer, or the export before, is then as it was
 */
export async function runPipeline(pipeline: Pipeline, context: RunContext): Promise<RunReport> {
  const start = performance.now()
  const run = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`
  context.tell({ type: 'run', pipeline: pipeline.pipeline, run })
  const layers = await runKind(pipeline, context, run)
  for (const layer of layers) checkCounts(layer)
  const report: RunReport = {
    pipeline: pipeline.pipeline,
    run,
    outcome: outcomeOf(pipeline, layers),
    layers,
    seconds: (performance.now() - start) / 1000,
  }
  context.tell({ type: 'report', ...report })
  return report
}

async function runKind(pipeline: Pipeline, context: RunContext, run: string): Promise<LayerReport[]> {
  return pipeline.kind === 'import' ? [await runImport(pipeline, context)] : runExport(pipeline, context, run)
}

function outcomeOf({ kind }: Pipeline, layers: readonly LayerReport[]): RunReport['outcome'] {
  if (layers.every((layer) => layer.loaded === 0 && layer.unchanged === layer.read)) return 'unchanged'
  return kind === 'import' ? 'loaded' : 'exported'
}

function checkCounts({ layer, read, loaded, unchanged, quarantined }: LayerReport): void {
  if (read === loaded + unchanged + quarantined) return
  throw problem(
    'pipeline/counts',
    `"${layer}": ${read} rows read, ${loaded + unchanged + quarantined} accounted for.`,
  )
}
