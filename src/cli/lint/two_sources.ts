import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { problems } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import { formatSpan, type Span } from '../../core/span.ts'
import { findFileKind, listYamlFiles } from '../../document/yaml_files.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { loadPipeline } from '../../pipeline/load_pipeline.ts'
import type { Terminal } from '../terminal.ts'

/** Pipelines that load layers, and the issues of invalid files. */
export interface LayerLoads {
  readonly loads: readonly LayerLoad[]
  readonly issues: readonly Issue[]
  /** Texts by file. */
  readonly sources: ReadonlyMap<string, string>
}

/** A pipeline that loads a layer. */
interface LayerLoad {
  readonly layer: string
  readonly span: Span
}

/**
 * Reads pipelines of files and folders.
 *
 * @throws {Problem} file/not-found, file/unreadable
 */
export async function readLayerLoads(
  paths: readonly string[],
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<LayerLoads> {
  const lists = await Promise.all(paths.map((path) => listFiles(path, cwd)))
  const loads: LayerLoad[] = []
  const issues: Issue[] = []
  const sources = new Map<string, string>()
  for (const path of lists.flat().toSorted()) {
    const loaded = await loadPipeline({ path, cwd, env: env as Readonly<Record<string, string>> })
    issues.push(...loaded.issues)
    sources.set(path, loaded.text)
    if (loaded.pipeline?.kind !== 'import') continue
    const text = await readFile(resolve(cwd, path), 'utf8')
    loads.push({ layer: loaded.pipeline.to.layer, span: spanOfLayer(path, text) })
  }
  return { loads, issues, sources }
}

async function listFiles(path: string, cwd: string): Promise<string[]> {
  if ((await findFileKind(resolve(cwd, path))) !== 'folder') return [path]
  const files = await listYamlFiles(resolve(cwd, path))
  return files.map((file) => join(path, file.slice(resolve(cwd, path).length + 1)))
}

/** Finds the line of the layer in a pipeline. */
function spanOfLayer(file: string, text: string): Span {
  const lines = text.split('\n')
  const at = lines.findIndex((one) => /\blayer:/.test(one))
  const line = Math.max(at, 0) + 1
  const column = Math.max((lines[at] ?? '').search(/\blayer:/), 0) + 1
  return { file, line, column, endLine: line, endColumn: column + 'layer'.length }
}

/** Finds layers whose data come from the manifest and a pipeline, or from two pipelines. */
export function findTwoSources(manifest: Manifest | undefined, loads: readonly LayerLoad[]): Issue[] {
  const first = new Map<string, Span>()
  for (const { key, data, spanOf } of manifest?.resources.values() ?? [])
    if (data !== undefined) first.set(key, spanOf('/data'))
  return loads.flatMap(({ layer, span }) => {
    const other = first.get(layer)
    if (other === undefined) {
      first.set(layer, span)
      return []
    }
    const message = `the data of "${layer}" are loaded here and at ${formatSpan(other)}`
    const { advice } = problems['lint/two-sources']
    return [{ code: 'lint/two-sources', severity: 'warning', message, span, hint: advice } as const]
  })
}
