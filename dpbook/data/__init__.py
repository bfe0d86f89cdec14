"""The data of the book: real people's records in the public domain, made stand-ins, and the reader's own files.

`people` has the records, `stand_ins` what is made from a fixed seed. `maps` has two attributes as a picture,
`attributes` many yes-or-no answers a person, `predictions` features with an answer to predict. `pictures` has a
photograph, `texts` short messages; `files` says what a dataset is and how a file is read. Every array is read-only,
so no cell can change what another cell sees.
Notebook: 00_start_here.
"""

from dpbook.data.files import Dataset, read_column, read_counts
from dpbook.data.people import affairs, election, health_insurance, health_insurance_person, smoking
from dpbook.data.pictures import photograph
from dpbook.data.predictions import Prediction, affairs_prediction, election_prediction, visits_prediction
from dpbook.data.stand_ins import net_trace, search_logs, social_network, tcp_trace, three_clusters
from dpbook.data.texts import messages
