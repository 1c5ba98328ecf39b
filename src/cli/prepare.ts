import { resolve } from 'node:path'
import type { Issue } from '../core/issue.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { Plan } from '../reconcile/model/change.ts'
import { type PlanOptions, safeOptions } from '../reconcile/model/plan_input.ts'
import { planFrom } from '../reconcile/plan/plan_manifest.ts'
import type { PlanReader } from '../reconcile/plan/plan_reader.ts'
import { findUnknownKeys, reportUnknownKeys } from './check_keys.ts'
import { findCommit } from './git_commit.ts'
import { checkGuards, type GuardSettings, type Guards, loadGuards, noGuards, withPolicies } from './guards.ts'
import { type GoodManifest, loadGoodManifest, orDefault } from './load_manifest.ts'
import { writePlanEvents } from './print/events.ts'
import { formatIssues } from './print/issue_list.ts'
import { formatPlan } from './print/plan.ts'
import { formatHeader } from './print/plan_facts.ts'
import { showReading } from './print/reading.ts'
import { painter } from './print/text_format.ts'
import { type Terminal, writeLine } from './terminal.ts'
import { findBadPasswords } from './weak_passwords.ts'

/** Settings of commands that plan a manifest. */
export interface PrepareSettings {
  readonly paths: readonly string[]
  readonly options: PlanOptions
  readonly guards: GuardSettings
  /** Whether the plan has all resources below those that the manifest manages. */
  readonly readsBelow?: boolean
}

/** Plan with its manifest. */
export interface Prepared {
  readonly plan: Plan
  readonly loaded: GoodManifest
  /** Git commit of the manifest. */
  readonly commit?: string | undefined
}

/**
 * Loads a manifest and plans it against a server. Conditions that the plan does not meet are among its issues.
 *
 * @throws {Problem} manifest/invalid, policy/invalid, http/*, auth/*
 */
export async function preparePlan(
  reader: PlanReader,
  { paths, options, guards: written, readsBelow = false }: PrepareSettings,
  terminal: Pick<Terminal, 'env' | 'cwd' | 'interrupt' | 'err' | 'canRedraw'>,
): Promise<Prepared> {
  const loaded = await loadGoodManifest(paths, terminal)
  const guards = await loadGuards(written, terminal)
  const [prepared, commit] = await Promise.all([
    planLoaded(reader, { loaded, options, guards, readsBelow }, terminal),
    findCommit(resolve(terminal.cwd, orDefault(paths)[0] ?? '.')),
  ])
  return { ...prepared, commit }
}

/** Manifest to plan, with its options. */
export interface PlanSettings {
  readonly loaded: GoodManifest
  readonly options: PlanOptions
  readonly guards?: Guards
  readonly readsBelow?: boolean
}

/**
 * Plans a manifest against a server, or against a capture of one.
 *
 * @throws {Problem} http/*, auth/*
 */
export async function planLoaded(
  reader: PlanReader,
  { loaded, options, guards = noGuards, readsBelow }: PlanSettings,
  terminal: Pick<Terminal, 'env' | 'interrupt' | 'err' | 'canRedraw'>,
): Promise<Prepared> {
  const { manifest } = loaded
  const watched = guards.forbidGain
  const plan = await showReading(reader, terminal, (watchedReader) =>
    planFrom({
      ...{ reader: watchedReader, manifest, options, watched, readsPart: true, readsBelow },
      signal: terminal.interrupt,
    }),
  )
  const issues = [
    ...loaded.issues,
    ...(await checkNamed(reader, { plan, manifest, options })),
    ...plan.issues,
    ...(await checkSentPasswords(plan, manifest, terminal)),
    ...checkGuards(plan, manifest, guards),
  ]
  return { plan: { ...plan, issues }, loaded: { ...loaded, sources: withPolicies(loaded.sources, guards) } }
}

/** Reports passwords that the plan sends and that cannot be read, or that the server refuses. Other servers have rules of their own. */
async function checkSentPasswords(
  { changes, landform }: Plan,
  { principals }: Manifest,
  terminal: Pick<Terminal, 'env'>,
): Promise<Issue[]> {
  const sent = changes.flatMap(({ password, key }) => (password && principals?.user.get(key)) ?? [])
  const issues = await findBadPasswords(sent, terminal)
  return landform === undefined ? issues.filter(({ code }) => code !== 'principal/weak-password') : issues
}

/** Reports keys in options that name nothing, unless an apply of the manifest has deleted what they named: jobs repeat them. */
async function checkNamed(
  reader: PlanReader,
  {
    plan,
    manifest,
    options,
  }: Pick<Prepared, 'plan'> & Pick<GoodManifest, 'manifest'> & Pick<PlanSettings, 'options'>,
): Promise<Issue[]> {
  const unknown = findUnknownKeys(plan, manifest, options)
  if (unknown.length === 0) return []
  const keys = [...new Set(unknown.map(({ key }) => key))]
  const deleted = await reader.readDeletions?.({ manifest: manifest.id, keys })
  return reportUnknownKeys(unknown, deleted ?? new Set())
}

/** How to show a plan. */
export interface PlanOutput {
  readonly json: boolean
  /** Whether to show the issues only. */
  readonly quiet?: boolean
}

/** Writes a plan to `out`, and in text mode its issues to `err`. */
export function showPlan(
  { plan, loaded, commit }: Prepared,
  { json, quiet = false }: PlanOutput,
  terminal: Terminal,
): void {
  if (json) {
    writePlanEvents(terminal.out, plan)
    return
  }
  if (plan.issues.length > 0) writeLine(terminal.err, formatIssues(plan.issues, loaded.sources))
  if (quiet) return
  const paint = painter(terminal.colour)
  if (plan.changes.length > 0) writeLine(terminal.out, paint('dim', formatHeader({ plan, commit })))
  writeLine(terminal.out, formatPlan(plan, paint))
}

/** Reads the plan options from the command line. */
export function readAllowances(options: Readonly<Record<string, unknown>>): PlanOptions {
  const keys = (name: string) => new Set((options[name] as readonly string[] | undefined) ?? [])
  return {
    prune: options.prune === true,
    fuse: (options.fuse as number | undefined) ?? safeOptions.fuse,
    allowDelete: keys('allowDelete'),
    replace: keys('replace'),
    overwriteData: keys('overwriteData'),
    allowLoss: keys('allowLoss'),
    adopt: options.adopt === true,
    sendSecrets: keys('sendSecrets'),
    take: keys('take'),
    only: keys('only'),
  }
}
