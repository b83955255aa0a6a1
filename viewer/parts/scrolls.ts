/** A box that scrolls takes the focus, so that the keyboard can move what is in it. */
export const scrolls = { tabIndex: 0 }
