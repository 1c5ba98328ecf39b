import { element } from '../element.ts'

/** A button in the row of a layer, and what it shows below the row. */
export interface LayerDetail {
  readonly button: HTMLButtonElement
  readonly content: HTMLElement
}

/** Connects a button with the content that it shows and hides, for pointers, touch and keyboards. */
export function discloseWith(button: HTMLButtonElement, content: HTMLElement): LayerDetail {
  const setShown = (shown: boolean) => {
    content.hidden = !shown
    button.setAttribute('aria-expanded', String(shown))
  }
  setShown(false)
  button.addEventListener('click', () => setShown(content.hidden !== false))
  return { button, content }
}

/** Creates the badge of a layer that is not drawn as in its style, or not at all, which shows the reasons. */
export function createBadge(title: string): LayerDetail {
  const button = element('button', { type: 'button', class: 'undrawn', title, 'aria-label': title }, '⚠')
  return discloseWith(button, element('p', { class: 'reasons' }, title))
}

/** Creates the slider of the opacity of a layer, from 0 to 1. */
export function createOpacitySlider(
  label: string,
  opacity: number,
  onChange: (opacity: number) => void,
): HTMLElement {
  const percent = Math.round(opacity * 100)
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: 100,
    step: 5,
    value: percent,
    'aria-label': `Opacity of ${label} in percent`,
  })
  const shown = element('output', {}, `${percent} %`)
  slider.addEventListener('input', () => {
    shown.textContent = `${slider.value} %`
    onChange(slider.valueAsNumber / 100)
  })
  return element('div', { class: 'opacity' }, slider, shown)
}
