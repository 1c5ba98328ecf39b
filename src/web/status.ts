import { element, iconButton } from './element.ts'
import { icons } from './icons.ts'

/** Tells the user what the page is waiting for, and what went wrong. */
export interface Status {
  readonly elements: readonly HTMLElement[]
  /** Shows that something is under way until the promise ends; gives the promise. */
  track<T>(work: Promise<T>): Promise<T>
  /**
   * Shows a fault once, however often it happens, until the user dismisses it or chooses what can be done about it.
   * Gives what takes it away.
   */
  report(message: string, remedy?: Remedy): () => void
  /** Tells whether nothing is under way. */
  isIdle(): boolean
}

/** What the user can do about a fault. */
export interface Remedy {
  readonly label: string
  act(): void
}

/** Makes the line that shows progress, and the place where faults are shown. */
export function createStatus(): Status {
  const bar = element('div', {
    class: 'progress',
    role: 'progressbar',
    'aria-label': 'Loading',
    hidden: true,
  })
  const faults = element('div', { class: 'faults', role: 'alert' })
  const shown = new Map<string, HTMLElement>()
  let pending = 0
  const change = (by: number) => {
    pending += by
    bar.hidden = pending === 0
  }
  return {
    elements: [bar, faults],
    isIdle: () => pending === 0,
    async track(work) {
      change(1)
      try {
        return await work
      } finally {
        change(-1)
      }
    },
    report(message, remedy) {
      const dismiss = () => {
        shown.get(message)?.remove()
        shown.delete(message)
      }
      if (shown.has(message)) return dismiss
      const act = () => {
        dismiss()
        remedy?.act()
      }
      const fault = element('p', { class: 'fault' }, message)
      if (remedy)
        fault.append(element('button', { type: 'button', class: 'again', click: act }, remedy.label))
      fault.append(iconButton('Dismiss', icons.close, dismiss))
      shown.set(message, fault)
      faults.append(fault)
      return dismiss
    },
  }
}
