import type { Api } from '../../api/api.ts'
import { compareIssues, type Issue } from '../../core/issue.ts'
import { lintTree } from '../../reconcile/lint/lint_rules.ts'
import type { LintTree } from '../../reconcile/lint/lint_tree.ts'
import { lintTreeOfServer } from '../../reconcile/lint/server_lint_tree.ts'
import { computeFromPart } from '../../reconcile/plan/compute_from_part.ts'
import { noPart } from '../../reconcile/plan/partial_tree.ts'
import { readActualTree } from '../../reconcile/plan/plan_manifest.ts'
import { liveReader } from '../../reconcile/plan/plan_reader.ts'
import { styleMembers } from '../../style/check_style_text.ts'
import { connect, type ServerSettings } from '../connect.ts'
import { adviseLogin } from '../principals.ts'
import { findRoot } from '../subtree_root.ts'
import type { Terminal } from '../terminal.ts'

/** Subtree of a server. */
export interface LintedSubtree {
  readonly server: ServerSettings
  /** Keyname or id; the whole tree if absent. */
  readonly root?: string | undefined
}

/** Findings of a server. */
export interface ServerFindings {
  readonly issues: readonly Issue[]
  /** Number of resources that were checked. */
  readonly resources: number
  /** Number of styles among them. */
  readonly styles: number
}

const styleClasses: ReadonlySet<string> = new Set(styleMembers.map(({ cls }) => cls))

/**
 * Lints the resources of a server that the account can read.
 *
 * @throws {Problem} plan/missing, http/*, auth/*
 */
export async function lintServer(
  { server, root }: LintedSubtree,
  terminal: Terminal,
): Promise<ServerFindings> {
  const api = await connect(server, terminal)
  try {
    const checked = await readChecked(api, root, terminal.interrupt)
    const reported = [...checked.resources.values()].filter(({ isReported }) => isReported)
    const styles = reported.filter(({ cls }) => styleClasses.has(cls)).length
    return { issues: lintTree(checked).sort(compareIssues), resources: reported.length, styles }
  } catch (error) {
    throw await adviseLogin(error, server, terminal)
  } finally {
    await api.close()
  }
}

/** Reads a subtree with what its findings depend on, or the whole tree. */
async function readChecked(api: Api, root: string | undefined, signal: AbortSignal): Promise<LintTree> {
  if (root === undefined) return lintTreeOfServer(await readActualTree(api, signal), 0)
  const ids = /^\d+$/.test(root) ? [Number(root)] : []
  return computeFromPart({
    reader: liveReader(api, signal),
    part: { ...noPart, keynames: [root], ids },
    compute: async ({ actual }) => lintTreeOfServer(actual, findRoot(actual, root).id),
  })
}
