/**
 * Characters that are invisible or change the direction of text: what Unicode lets a renderer ignore (zero-width marks, fillers,
 * tags, variation selectors), bidi controls, C1. Joiners and the emoji variation selector stay: people write with them.
 */
export const invisibleCharacters =
  /[[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb]--[\u200c\u200d\ufe0f]]/gv
