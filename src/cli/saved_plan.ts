import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import { isObject } from '../core/is_object.ts'
import { writeAtomically } from '../files/atomic_write.ts'
import { checkReplaceable } from '../files/replaceable.ts'
import type { WantedResource } from '../manifest/manifest.ts'
import {
  compareSaved,
  type SavedFile,
  type SavedPlan,
  saveChanges,
  savedPlanVersion,
  saveOptions,
} from '../reconcile/saved/saved_plan.ts'
import { digestSource } from '../transfer/pack.ts'
import { orDefault } from './load_manifest.ts'
import type { Prepared, PrepareSettings } from './prepare.ts'
import { formatIssues } from './print/issue_list.ts'
import type { Terminal } from './terminal.ts'

/** A plan to save, and where. */
export interface SaveRequest {
  readonly prepared: Prepared
  readonly settings: PrepareSettings
  /** Path as written on the command line. */
  readonly out: string
}

/**
 * Saves a plan, without secrets. Replaces an existing saved plan.
 *
 * @throws {Problem} usage/bad-argument, file/not-found, file/unreadable, files/full
 */
export async function savePlan({ prepared, settings, out }: SaveRequest, { cwd }: Terminal): Promise<void> {
  const path = resolve(cwd, out)
  await checkReplaceable({ path, shownPath: out, start: '{\n  "landform_plan":' })
  const { plan, commit } = prepared
  const paths = orDefault(settings.paths)
  const saved: SavedPlan = {
    landform_plan: savedPlanVersion,
    saved_at: new Date().toISOString(),
    manifest: plan.manifest,
    server: plan.server,
    ...(commit === undefined ? {} : { commit }),
    paths,
    options: saveOptions(settings.options),
    forbid_gain: settings.guards.forbidGain,
    policies: settings.guards.policies,
    files: await digestFiles(prepared, cwd),
    changes: saveChanges(plan),
    fingerprint: plan.fingerprint,
  }
  async function* text() {
    yield Buffer.from(`${JSON.stringify(saved, null, 2)}\n`)
  }
  await writeAtomically(path, text(), { shownPath: out, overwrite: true })
}

/** Digests the manifests and the data files that a plan loads. */
async function digestFiles({ plan, loaded }: Prepared, cwd: string): Promise<SavedFile[]> {
  const { resources, catalog, principals } = loaded.manifest
  const maps = [...Object.values(catalog ?? {}), ...Object.values(principals ?? {})]
  const others = maps.flatMap((all: ReadonlyMap<string, Pick<WantedResource, 'spanOf'>>) => [...all.values()])
  const files = new Set([...resources.values(), ...others].map(({ spanOf }) => spanOf('').file))
  const manifests = [...files].flatMap((path) => {
    const text = loaded.sources.get(path)
    return text === undefined ? [] : [{ path, sha256: createHash('sha256').update(text).digest('hex') }]
  })
  const loads = new Set(
    plan.changes.flatMap(({ data, image, files = [], features }) => {
      const attachments = features?.items.flatMap((item) => item.attachments ?? []) ?? []
      const uploads = [...files, ...attachments].flatMap((one) => ('upload' in one && one.upload) || [])
      return [data, image, ...uploads].flatMap((one) => one?.path ?? [])
    }),
  )
  const data: SavedFile[] = []
  for (const path of loads) {
    const { sha256 } = await digestSource(path)
    data.push({ path: relative(cwd, path).split(sep).join('/'), sha256 })
  }
  return [...manifests, ...data].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Reads a saved plan.
 *
 * @throws {Problem} file/not-found, file/unreadable, plan/saved if the file is not a saved plan
 */
export async function readSavedPlan(path: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<SavedPlan> {
  const value = parsePlan(await readText(path, cwd), path)
  const { landform_plan: version } = value
  const isWhole = lists.every((name) => Array.isArray(value[name])) && isObject(value.options)
  if (version === savedPlanVersion && isWhole) return value as unknown as SavedPlan
  if (typeof version !== 'number' || version === savedPlanVersion)
    throw problem('plan/saved', `"${path}" is not a saved plan.`)
  throw problem('plan/saved', `"${path}" has version ${version} of the format, not ${savedPlanVersion}.`)
}

/** Members with lists. */
const lists = ['paths', 'forbid_gain', 'policies', 'files', 'changes']

async function readText(path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw problem('file/not-found', `The file "${path}" does not exist.`)
    if (code === 'EISDIR')
      throw problem('plan/saved', `"${path}" is a folder, not a saved plan.`, {
        hint: 'Name the file of landform plan --out.',
      })
    throw problem('file/unreadable', `Cannot read "${path}": ${code}.`)
  }
}

function parsePlan(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Not JSON.
  }
  throw problem('plan/saved', `"${path}" is not a saved plan.`)
}

/**
 * Checks that the plan of the same manifest is still the saved one.
 *
 * @throws {Problem} apply/stale with each file and resource that has changed
 */
export async function checkSavedPlan(
  saved: SavedPlan,
  prepared: Prepared,
  { cwd }: Pick<Terminal, 'cwd'>,
): Promise<void> {
  const current = { changes: saveChanges(prepared.plan), files: await digestFiles(prepared, cwd) }
  const issues = compareSaved(saved, current)
  if (issues.length === 0) return
  throw problem('apply/stale', `The saved plan is stale: ${countOf(issues.length, 'difference')}.`, {
    issues,
    detail: formatIssues(issues, new Map()),
    hint: 'Plan again, and review the new plan.',
  })
}
