"""The page of a Streamlit application: writes down whom `st.user` knows, each time that it runs."""

import json
import os
from pathlib import Path

import streamlit as st

told = {"email": st.user.get("email"), "name": st.user.get("name")} if st.user.is_logged_in else {"email": None}
seen = Path(os.environ["SEEN"])
seen.with_suffix(".new").write_text(json.dumps(told))
seen.with_suffix(".new").rename(seen)
