import type { Api } from '../../api/api.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { hasErrors, type Issue } from '../../core/issue.ts'
import { loadPipeline } from '../../pipeline/load_pipeline.ts'
import type { Pipeline } from '../../pipeline/pipeline_schema.ts'
import type { RunReport } from '../../pipeline/run_event.ts'
import { runPipeline } from '../../pipeline/run_pipeline.ts'
import type { CommandSpec } from '../command.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { collect, serverOptions } from '../options.ts'
import { adviseLogin } from '../principals.ts'
import { formatIssues } from '../print/issue_list.ts'
import { formatRunReport, startRunProgress } from '../print/run.ts'
import { type Terminal, writeLine } from '../terminal.ts'

/** Settings of `run`. */
export interface RunSettings {
  readonly paths: readonly string[]
  readonly server: ServerSettings
  readonly json: boolean
  /** Whether to show no progress. */
  readonly quiet?: boolean
  /** Whether to run even if the source is unchanged. */
  readonly force: boolean
  /** Keynames of layers whose data may be lost. */
  readonly allowLoss: ReadonlySet<string>
  /** Keynames of layers whose data are replaced even if a manifest loads them. */
  readonly take: ReadonlySet<string>
}

/**
 * Loads pipelines, and reports the errors of all of them at once.
 *
 * @throws {Problem} manifest/invalid, file/not-found
 */
export async function loadPipelines(
  paths: readonly string[],
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<Pipeline[]> {
  const pipelines: Pipeline[] = []
  const issues: Issue[] = []
  const sources = new Map<string, string>()
  for (const path of paths) {
    const loaded = await loadPipeline({ path, cwd, env })
    issues.push(...loaded.issues)
    for (const { span } of loaded.issues) if (span !== undefined) sources.set(span.file, loaded.text)
    if (loaded.pipeline !== undefined) pipelines.push(loaded.pipeline)
  }
  if (!hasErrors(issues)) return pipelines
  throw problem('pipeline/invalid', `The pipelines have ${countOf(issues.length, 'error')}.`, {
    issues,
    detail: formatIssues(issues, sources),
  })
}

/** Dependencies and output settings of a run. */
export interface RunWork
  extends Pick<RunSettings, 'json'>,
    Partial<Pick<RunSettings, 'quiet' | 'force' | 'allowLoss' | 'take'>> {
  readonly api: Api
}

/** Runs a pipeline and reports its progress. */
export async function runAndReport(
  pipeline: Pipeline,
  { json, quiet = false, force = false, ...work }: RunWork,
  terminal: Terminal,
): Promise<RunReport> {
  const progress = startRunProgress({ terminal, json, quiet })
  try {
    return await runPipeline(pipeline, { ...work, tell: progress.take, signal: terminal.interrupt, force })
  } finally {
    progress.end()
  }
}

/** Runs pipelines in order, up to the first failure. */
export async function runPipelines(settings: RunSettings, terminal: Terminal): Promise<number> {
  const pipelines = await loadPipelines(settings.paths, terminal)
  const api = await connect(settings.server, terminal)
  try {
    for (const pipeline of pipelines) {
      const report = await runAndReport(pipeline, { api, ...settings }, terminal)
      if (!settings.json) writeLine(terminal.out, formatRunReport(report))
    }
    return 0
  } catch (error) {
    throw await adviseLogin(error, settings.server, terminal)
  } finally {
    await api.close()
  }
}

/** The command `run`. */
export const runCommand: CommandSpec = {
  name: 'run',
  summary: 'run pipelines that load files into layers or export layers to files',
  examples: [
    'landform run pipelines/cities.yaml',
    'landform run pipelines/*.yaml --json',
    'landform run pipelines/cities.yaml --force',
  ],
  declare: (command) =>
    serverOptions(command.argument('<paths...>', 'pipeline files, in order of execution'))
      .option('--force', 'run even if the source is unchanged')
      .option('--allow-loss <layer>', 'replace the data even if features or fields are lost', collect)
      .option('--take <layer>', 'replace the data even if a manifest loads them', collect)
      .option('--json', 'write events as JSON lines')
      .option('--quiet', 'show no progress'),
  run: ({ arguments: [paths], options }, terminal) =>
    runPipelines(
      {
        paths: (paths ?? []) as readonly string[],
        server: options as ServerSettings,
        json: options.json === true,
        quiet: options.quiet === true,
        force: options.force === true,
        allowLoss: new Set(options.allowLoss as readonly string[] | undefined),
        take: new Set(options.take as readonly string[] | undefined),
      },
      terminal,
    ),
}
