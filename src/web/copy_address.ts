/** Time for which the page says that the address was copied, in milliseconds. */
const reportMs = 3000

/** Shows the buttons that copy addresses. */
export function startCopying(): void {
  for (const place of document.querySelectorAll('.address')) startCopyingOf(place)
}

function startCopyingOf(place: Element): void {
  const button = place.querySelector('button')
  const input = place.querySelector('input')
  const report = place.querySelector('[role=status]')
  if (button === null || input === null || report === null) return
  button.hidden = false
  let timer: ReturnType<typeof setTimeout> | undefined
  button.addEventListener('click', async () => {
    clearTimeout(timer)
    report.textContent = ''
    const isCopied = await copy(input)
    report.textContent = isCopied ? 'Copied' : 'Press Ctrl+C to copy'
    if (isCopied)
      timer = setTimeout(() => {
        report.textContent = ''
      }, reportMs)
  })
}

/** Copies the text of an input; tells whether that succeeded, else the text is selected. */
async function copy(input: HTMLInputElement): Promise<boolean> {
  input.select()
  try {
    // Absent on pages without https.
    await navigator.clipboard.writeText(input.value)
    return true
  } catch {
    return document.execCommand('copy')
  }
}
