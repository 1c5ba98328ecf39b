import type { Page } from 'playwright-core'

/**
 * Lists elements of a page with insufficient contrast, with their ratio: text below 4.5 : 1, icons and borders of
 * inputs below 3 : 1. Elements on the map are compared with black and white.
 *
 * @see https://www.w3.org/TR/WCAG22/#contrast-minimum
 */
export function findLowContrast(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(script)
}

/** Returns the contrast of two colours, whose channels are 0 to 255. Pages run it, too: it uses nothing from outside. */
export function contrastOf(one: readonly number[], other: readonly number[]): number {
  const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  const luminances = [one, other].map((color) => {
    const [r = 0, g = 0, b = 0] = color.map((channel) => linear(channel / 255))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  })
  return (Math.max(...luminances) + 0.05) / (Math.min(...luminances) + 0.05)
}

const script = `(() => {
  const parse = (text) => {
    const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number)
    return { rgb: [r, g, b], a }
  }
  const mix = (top, a, below) => top.map((value, at) => value * a + below[at] * (1 - a))
  const contrast = ${contrastOf}
  // Possible background colours of an element; the map can have any.
  const behind = (element) => {
    if (element === null) return [parse(getComputedStyle(document.body).backgroundColor).rgb]
    const style = getComputedStyle(element)
    const { rgb, a } = parse(style.backgroundColor)
    if (a === 1) return [rgb]
    const onMap = style.position === 'fixed' && document.querySelector('.map') !== null
    const below = onMap ? [[0, 0, 0], [255, 255, 255]] : behind(element.parentElement)
    return below.map((one) => mix(rgb, a, one))
  }
  const opacityOf = (element) => (element === null ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement))
  const least = (element, color, backgrounds) => {
    const { rgb, a } = parse(color)
    const alpha = a * opacityOf(element)
    return Math.min(...backgrounds.map((one) => contrast(mix(rgb, alpha, one), one)))
  }
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const faults = []
  const check = (name, element, color, { backgrounds = behind(element), required }) => {
    const ratio = least(element, color, backgrounds)
    if (ratio < required) faults.push(name + ': ' + ratio.toFixed(2))
  }
  for (const element of document.body.querySelectorAll('*')) {
    if (!isVisible(element)) continue
    const style = getComputedStyle(element)
    const text = [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join('')
    if (text !== '') check('text "' + text.slice(0, 40) + '"', element, style.color, { required: 4.5 })
    if (element.matches('svg path')) check('icon of ' + element.closest('button')?.ariaLabel, element, style.stroke, { required: 3 })
    if (element.matches('input:not([type=checkbox], [type=hidden])'))
      check('border of ' + element.name, element, style.borderTopColor, { backgrounds: behind(element.parentElement), required: 3 })
  }
  return [...new Set(faults)]
})()`
