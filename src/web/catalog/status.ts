import { element, iconButton } from '../element.ts'
import { icons } from './icons.ts'

/** Shows progress and faults to the user. */
export interface Status {
  readonly elements: readonly HTMLElement[]
  /** Shows progress until the promise settles; returns the promise. */
  track<T>(work: Promise<T>): Promise<T>
  /**
   * Shows a fault once, even if it occurs repeatedly, until the user dismisses it or chooses the remedy. Returns a
   * function that removes it.
   */
  report(message: string, remedy?: Remedy): () => void
  /** Tells whether no operation is in progress. */
  isIdle(): boolean
  /** Sets what is done when the first of several operations starts and when the last one has ended. */
  onTurn(listener: () => void): void
}

/** Action that the user can take on a fault. */
export interface Remedy {
  readonly label: string
  act(): void
}

/** Creates the progress bar and the list of faults. */
export function createStatus(): Status {
  const bar = element('div', {
    class: 'progress',
    role: 'progressbar',
    'aria-label': 'Loading',
    hidden: true,
  })
  const faults = element('div', { class: 'faults', role: 'alert' })
  const shown = new Map<string, HTMLElement>()
  const listeners: (() => void)[] = []
  let pending = 0
  const change = (by: number) => {
    pending += by
    if (bar.hidden === (pending === 0)) return
    bar.hidden = pending === 0
    for (const listener of listeners) listener()
  }
  return {
    elements: [bar, faults],
    isIdle: () => pending === 0,
    onTurn: (listener) => void listeners.push(listener),
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
