/**
 * What turns a text around, or cannot be seen: controls of direction, marks without a width, letters without a shape, tags, selectors of
 * variants, C1. Joiners and the selector of coloured emoji stay: people write with them.
 */
export const unseen =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each mark is meant by itself
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb]|\ud834[\udd73-\udd7a]|\udb40[\udc00-\uddef]/g
