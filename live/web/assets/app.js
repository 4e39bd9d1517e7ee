// The page stands without this; what is here makes it live. Each module looks
// for its own elements and does nothing where there are none.
import { localise } from "./time.js";
import { live } from "./live.js";
import { forms } from "./forms.js";
import { jobs } from "./jobs.js";
import { pick } from "./pick.js";
import { job } from "./job.js";
import { submit } from "./submit.js";
import { owner } from "./owner.js";
import { cursor } from "./cursor.js";
import { arrived, moved } from "./draft.js";
import { settle } from "./along.js";

document.documentElement.classList.add("scripted");

function begin() {
  localise(document);
  jobs();
  pick();
  job();
  submit();
  owner();
}

arrived();
moved();
forms(begin);
begin();
cursor();
settle();
live();
