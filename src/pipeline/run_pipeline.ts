import { randomUUID } from 'node:crypto'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import type { Pipeline } from './pipeline_schema.ts'
import type { RunContext } from './run_context.ts'
import type { LayerReport, RunReport, RunResult } from './run_event.ts'
import { runExport } from './run_export.ts'
import { runImport } from './run_import.ts'

/**
 * Runs a pipeline once. A run succeeds only if its counts add up: read = loaded + unchanged + quarantined.
 *
 * @throws {Problem} if the run fails; the layer or the previous export is unchanged then
 */
export async function runPipeline(pipeline: Pipeline, context: RunContext): Promise<RunReport> {
  const start = performance.now()
  const run = `${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomUUID().slice(0, 8)}`
  context.tell({ type: 'run', pipeline: pipeline.pipeline, run })
  const done = await runKind(pipeline, context, run)
  for (const layer of done.layers) checkCounts(layer)
  const report: RunReport = {
    pipeline: pipeline.pipeline,
    run,
    ...done,
    seconds: (performance.now() - start) / 1000,
  }
  context.tell({ type: 'report', ...report })
  return report
}

function runKind(pipeline: Pipeline, context: RunContext, run: string): Promise<RunResult> {
  return pipeline.kind === 'import' ? runImport(pipeline, context) : runExport(pipeline, context, run)
}

function checkCounts({ layer, read, loaded, unchanged, quarantined }: LayerReport): void {
  if (read === loaded + unchanged + quarantined) return
  throw problem(
    'pipeline/counts',
    `"${layer}": ${countOf(read, 'row')} read, ${loaded + unchanged + quarantined} accounted for.`,
  )
}
