import { resolve } from 'node:path'
import { createApi } from './api/api.ts'
import { problem } from './contract/problems.ts'
import { countOf } from './core/count.ts'
import { type LoadedManifest, loadManifest } from './manifest/load_manifest.ts'
import { applyPlan } from './reconcile/apply/apply_plan.ts'
import type { Report as ApplyReport } from './reconcile/apply/outcome.ts'
import type { Plan as ChangePlan } from './reconcile/model/change.ts'
import { type PlanOptions, safeOptions } from './reconcile/model/plan_input.ts'
import { planManifest } from './reconcile/plan/plan_manifest.ts'
import type { ServerConfig } from './server/config.ts'
import type { RunningServer } from './server/server.ts'

/** Changes that wait, in order, with what they were computed from. */
export type Plan = ChangePlan

/** What an apply did, failed at and did not try. */
export type Report = ApplyReport

/** A manifest with everything that was found wrong with it. */
export type Validation = LoadedManifest

/** Where a manifest is. */
export interface ManifestFiles {
  /** Files and folders. */
  readonly paths: readonly string[]
  /** Folder that relative paths start from. */
  readonly cwd: string
  /** Variables for `${env.NAME}`. */
  readonly env?: Readonly<Record<string, string>>
}

/** A manifest, the server it is for, and what may be done to it. */
export interface ReconcileOptions extends ManifestFiles {
  /** Address of the server. */
  readonly server: string
  readonly credentials?: { readonly login: string; readonly password: string } | { readonly token: string }
  /** What a plan may do beyond what is safe: prune, replace, overwrite data, adopt. */
  readonly allow?: Partial<PlanOptions>
  readonly signal?: AbortSignal
}

/** How changes are made. */
export interface ApplySettings extends ReconcileOptions {
  /** False sends request by request even to servers that do all or nothing. */
  readonly atomic?: boolean
  /** Leaves out what somebody else has changed since the plan was made, and does the rest. */
  readonly partial?: boolean
}

/** Finds every fault of a manifest, without a server. Faults are issues, never thrown. */
export function validate({ paths, cwd, env = {} }: ManifestFiles): Promise<Validation> {
  return loadManifest({ paths, cwd: resolve(cwd), env })
}

/**
 * Computes what has to be done so that a server is as a manifest wants it. Nothing is changed.
 *
 * @throws {Problem} manifest/invalid with its issues, http/*, auth/*
 */
export async function plan(options: ReconcileOptions): Promise<Plan> {
  return withPlan(options, async (planned) => planned)
}

/**
 * Makes a server as a manifest wants it: on a landform server all at once or not at all, elsewhere request by request.
 * What fails on the way stands in the report.
 *
 * @throws {Problem} manifest/invalid, apply/failed where the plan has errors, http/*, auth/*
 */
export async function apply(options: ApplySettings): Promise<Report> {
  const { atomic = true, partial = false, signal } = options
  return withPlan(options, (planned, api) => applyPlan({ api, plan: planned, atomic, partial, signal }))
}

/**
 * Starts a server; stop it when it is no longer needed.
 *
 * @throws {Problem} server/listen, database/*
 */
export async function serve(config: ServerConfig): Promise<RunningServer> {
  const { createServer } = await import('./server/server.ts')
  return createServer(config)
}

async function withPlan<T>(
  options: ReconcileOptions,
  work: (plan: Plan, api: ReturnType<typeof createApi>) => Promise<T>,
): Promise<T> {
  const { manifest, issues } = await validate(options)
  if (manifest === undefined) {
    const errors = issues.filter(({ severity }) => severity === 'error')
    throw problem('manifest/invalid', `The manifest has ${countOf(errors.length, 'error')}.`, { issues })
  }
  const api = createApi({ url: options.server, credentials: options.credentials })
  try {
    const allowed = { ...safeOptions, ...options.allow }
    return await work(await planManifest({ api, manifest, options: allowed, signal: options.signal }), api)
  } finally {
    await api.close()
  }
}
