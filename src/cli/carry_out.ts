import type { Api } from '../api/api.ts'
import { problem } from '../contract/problems.ts'
import { hasErrors } from '../core/issue.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { applyPlan } from '../reconcile/apply/apply_plan.ts'
import type { Report } from '../reconcile/apply/outcome.ts'
import type { Plan } from '../reconcile/model/change.ts'
import { exitCodeOf } from './commands/plan.ts'
import { writeReportEvent } from './print/events.ts'
import { startProgress } from './print/progress.ts'
import { formatReport } from './print/report.ts'
import { painter } from './print/text_format.ts'
import { readSecret } from './read_secret.ts'
import { askYes, type Confirmation, type Terminal, writeLine } from './terminal.ts'

/** How to carry out a plan. */
export interface CarryOutSettings {
  readonly json: boolean
  /** Whether to show no progress. */
  readonly quiet: boolean
  /** Whether to skip the confirmation. */
  readonly yes: boolean
  readonly concurrency?: number | undefined
  /** Whether to apply in one transaction, if the server supports it. */
  readonly atomic: boolean
  /** Whether to skip resources that others have changed since the plan. */
  readonly partial: boolean
}

/** A plan that was shown. */
export interface ShownPlan {
  readonly api: Api
  readonly plan: Plan
  readonly manifest: Manifest
  readonly settings: CarryOutSettings
  /** Command that resumes an apply that stopped. */
  readonly resume: string
  /** Version of the manifest files. */
  readonly commit?: string | undefined
  /** Entry of the journal that the plan undoes. */
  readonly undoes?: number | undefined
}

/** Asks for confirmation of a plan and applies it, unless it has errors or no changes. Returns the exit code. */
export async function confirmAndApply(shown: ShownPlan, terminal: Terminal): Promise<number> {
  const { plan, settings } = shown
  if (hasErrors(plan.issues)) return exitCodeOf(plan.issues)
  if (plan.changes.length === 0) return 0
  await requirePasswords(plan, terminal)
  const confirmation = await confirm(settings, terminal)
  if (confirmation === 'yes') return carryOut(shown, terminal)
  writeLine(terminal.err, 'Nothing was changed.')
  return confirmation === 'interrupted' ? 130 : 1
}

/**
 * Reads the passwords before anything is asked, recorded or changed. Those of commands, which may ask, are read by the apply.
 *
 * @throws {Problem} apply/failed
 */
async function requirePasswords({ changes }: Plan, terminal: Terminal): Promise<void> {
  for (const { password } of changes)
    if (password !== undefined && !('command' in password)) await readSecret(password, terminal)
}

async function confirm({ yes }: CarryOutSettings, terminal: Terminal): Promise<Confirmation> {
  if (yes) return 'yes'
  if (terminal.canAsk) return askYes(terminal, 'Apply these changes? Type "yes" to confirm:')
  throw problem('usage/bad-argument', 'Confirmation required, but stdin is not a terminal.', {
    hint: 'Review the plan, then run the command with --yes.',
  })
}

async function carryOut(shown: ShownPlan, terminal: Terminal): Promise<number> {
  const { api, plan, manifest, settings, resume, commit, undoes } = shown
  const started = performance.now()
  const { json, quiet } = settings
  const progress = startProgress({ terminal, changes: plan.changes, json, quiet })
  let report: Report
  try {
    report = await applyPlan({
      ...{ api, plan, commit, undoes, atomic: settings.atomic, partial: settings.partial },
      readSecret: (source) => readSecret(source, terminal),
      signal: terminal.interrupt,
      breakOff: terminal.halt,
      onEvent: progress.take,
      ...(settings.concurrency === undefined ? {} : { concurrency: settings.concurrency }),
    })
  } finally {
    progress.end()
  }
  warnOfJournal(report, terminal)
  if (json) writeReportEvent(terminal.out, report)
  else {
    const tookMs = performance.now() - started
    const style = { paint: painter(terminal.colour), resume, tookMs, manifest, known: plan.issues }
    writeLine(terminal.out, formatReport(report, style))
  }
  return exitOf(report)
}

function warnOfJournal({ journalFault }: Report, { err }: Terminal): void {
  if (journalFault === undefined) return
  writeLine(err, `warning: the journal of the server does not have the result: ${journalFault.message}`)
}

function exitOf({ outcomes, interrupted }: Report): number {
  if (interrupted) return 130
  return outcomes.some(({ outcome }) => outcome === 'failed' || outcome === 'skipped') ? 1 : 0
}
