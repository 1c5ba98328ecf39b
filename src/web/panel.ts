import { element, iconButton } from './element.ts'
import { icons } from './icons.ts'
import type { MapConfig } from './tree_walk.ts'

/** Makes the panel with the name of the map and its layers, and the button that shows and hides it. */
export function createPanel({ webmapTitle, webmapDescription }: MapConfig, tree: HTMLElement): HTMLElement[] {
  const description = webmapDescription
    ? [element('div', { class: 'description' }, parseHtml(webmapDescription))]
    : []
  const panel = element(
    'aside',
    { class: 'card panel', id: 'panel', 'aria-label': 'Map' },
    element('header', {}, element('h1', {}, webmapTitle)),
    ...description,
    tree.childElementCount === 0
      ? element('p', { class: 'note' }, 'This map has no layers that you may see.')
      : tree,
  )
  const toggle = iconButton('Layers', icons.layers, () => setShown(panel.hidden === true))
  toggle.classList.add('card', 'panel-toggle')
  toggle.setAttribute('aria-controls', panel.id)
  const setShown = (shown: boolean) => {
    panel.hidden = !shown
    toggle.setAttribute('aria-expanded', String(shown))
  }
  // On a small screen the map comes first.
  setShown(!matchMedia('(max-width: 640px)').matches)
  return [toggle, panel]
}

/** The server has left of the description what is harmless. */
function parseHtml(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = html
  return template.content
}
