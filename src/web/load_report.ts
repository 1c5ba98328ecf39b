/** Receives what the parts of a service, such as tiles, return. */
export interface LoadReports {
  /** A part was loaded; `note` says what is remarkable about it. */
  onLoad(note?: string): void
  /** A part cannot be loaded; `reason` is absent if browsers do not tell it. */
  onFault(reason?: string): void
}

/** Creates reports that show in a message that a service, or a part of it, cannot be loaded. */
export function createReports(message: HTMLElement): LoadReports {
  let [loaded, failed] = [0, 0]
  const show = (text: string) => {
    if (message.textContent !== text) message.textContent = text
  }
  const partial = () => `${failed} of ${loaded + failed} tiles cannot be loaded.`
  return {
    onLoad(note = '') {
      loaded += 1
      show(failed === 0 ? note : partial())
    },
    onFault(reason = '') {
      failed += 1
      show(loaded === 0 ? `This service cannot be loaded. ${reason}`.trim() : partial())
    },
  }
}
