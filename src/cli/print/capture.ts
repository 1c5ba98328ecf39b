import type { CaptureHead } from '../../reconcile/capture/capture.ts'
import { showDuration } from './text_format.ts'

/** Describes what a capture is: its server, account, time and age. */
export function describeCapture(
  { server, caller, captured_at: capturedAt, complete, administrator }: CaptureHead,
  shownPath: string,
  now: Date,
): string {
  const age = now.getTime() - Date.parse(capturedAt)
  const time = capturedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')
  const part = complete || administrator ? '' : '; the account cannot read all resources'
  return `${shownPath}: ${server} as ${caller ?? 'an unknown user'}, captured at ${time} (${showAge(age)})${part}`
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** Formats an age in the largest unit with at least two of it. */
function showAge(age: number): string {
  if (age < 2 * minuteMs) return `${showDuration(Math.max(age, 0))} ago`
  if (age < 2 * hourMs) return `${Math.floor(age / minuteMs)} minutes ago`
  if (age < 2 * dayMs) return `${Math.floor(age / hourMs)} hours ago`
  return `${Math.floor(age / dayMs)} days ago`
}
