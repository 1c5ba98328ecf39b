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

/** Pending changes in order, and the state of the server that they are based on. */
export type Plan = ChangePlan

/** Completed, failed and skipped changes of an apply. */
export type Report = ApplyReport

/** A manifest and its issues. */
export type Validation = LoadedManifest

/** Location of a manifest. */
export interface ManifestFiles {
  /** Files and folders of the manifest. */
  readonly paths: readonly string[]
  /** Folder to which paths are relative. */
  readonly cwd: string
  /** Variables for `${env.NAME}`. */
  readonly env?: Readonly<Record<string, string>>
}

/** A manifest, its server, and the options of the plan. */
export interface ReconcileOptions extends ManifestFiles {
  /** URL of the server. */
  readonly server: string
  readonly credentials?: { readonly login: string; readonly password: string } | { readonly token: string }
  /** Unsafe changes to allow: prune, replace, overwrite data, adopt. */
  readonly allow?: Partial<PlanOptions>
  readonly signal?: AbortSignal
}

/** Options of an apply. */
export interface ApplySettings extends ReconcileOptions {
  /** Whether to apply the plan in one transaction if the server supports it. @default true */
  readonly atomic?: boolean
  /** Whether to skip resources that have changed since the plan, and apply the rest. @default false */
  readonly partial?: boolean
}

/** Validates a manifest without a server. Returns all faults as issues instead of throwing them. */
export function validate({ paths, cwd, env = {} }: ManifestFiles): Promise<Validation> {
  return loadManifest({ paths, cwd: resolve(cwd), env })
}

/**
 * Computes the changes that make a server match a manifest, without making them.
 *
 * @throws {Problem} manifest/invalid with its issues, http/*, auth/*
 */
export async function plan(options: ReconcileOptions): Promise<Plan> {
  return withPlan(options, async (planned) => planned)
}

/**
 * Makes a server match a manifest: in one transaction on a landform server, request by request on others. Failed changes
 * are part of the report.
 *
 * @throws {Problem} manifest/invalid, apply/failed if the plan has errors, http/*, auth/*
 */
export async function apply(options: ApplySettings): Promise<Report> {
  const { atomic = true, partial = false, signal } = options
  return withPlan(options, (planned, api) => applyPlan({ api, plan: planned, atomic, partial, signal }))
}

/**
 * Starts a server. The caller must stop it.
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
